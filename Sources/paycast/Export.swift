import API
import APIModel
import Commands

/// Prints everything known about a user.
struct Export: Command {
    static let name = "export"
    /// A body may have 256 KiB.
    private static let pageSize = 20

    private let remote: RemoteServer
    private let user: String
    private let allowsUnknown: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try RemoteServer(&arguments)
        user = try arguments.required("--user")
        allowsUnknown = try arguments.flag("--allow-unknown")
    }

    func run() throws(CommandFailure) -> Int32 {
        let path = "/users/" + pathPart(user)
        let record: UserAnswer = try read(path + queryString([("all", "true")]))
        var export = UserExport(record: record, events: [])
        var before: String?
        repeat {
            let query = [("bodies", "true"), ("limit", "\(Export.pageSize)")] + (before.map { [("before", $0)] } ?? [])
            let page: UserEventsAnswer = try read(path + "/events" + queryString(query.map { (name: $0, value: $1) }))
            export.events += page.events
            before = page.next
        } while before != nil
        export.audit = try audit()
        printJSON(JSON.encode(export))
        let isUnknown = record.contracts.isEmpty && record.orders.isEmpty && export.events.isEmpty
        return try exitCode(isUnknown: isUnknown && !allowsUnknown)
    }

    /// What was done to the user, this export included.
    private func audit() throws(CommandFailure) -> [AuditItem] {
        var found: [AuditItem] = []
        var before: Int64?
        repeat {
            let query = [("user", user), ("limit", "100")] + (before.map { [("before", "\($0)")] } ?? [])
            let page: AuditAnswer = try read("/audit" + queryString(query.map { (name: $0, value: $1) }))
            found += page.entries
            before = page.next
        } while before != nil
        return found
    }

    private func read<Answer: Decodable>(_ path: String) throws(CommandFailure) -> Answer {
        try remote.read(try remote.get(path), saying: "what it knows")
    }
}
