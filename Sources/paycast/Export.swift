import API
import APIModel
import Commands

/// Prints everything known about a user.
struct Export: Command {
    static let name = "export"
    /// A body may have 256 KiB.
    private static let pageSize = 20
    private static let subject = "what it knows"

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
        let record: UserAnswer = try remote.get(path + queryString([("all", "true")]), saying: Export.subject)
        var export = UserExport(record: record, events: [])
        export.events = try allPages { before throws(CommandFailure) in
            let query: QueryItems = [("bodies", "true"), ("limit", "\(Export.pageSize)"), ("before", before)]
            let page: UserEventsAnswer = try remote.get(path + "/events" + queryString(query), saying: Export.subject)
            return (page.events, page.next)
        }
        // What was done to the user, this export included.
        export.audit = try allPages { before throws(CommandFailure) in
            let query = queryString([("user", user), ("limit", "100"), ("before", before)])
            let page: AuditAnswer = try remote.get("/audit" + query, saying: Export.subject)
            return (page.entries, page.next.map { "\($0)" })
        }
        printJSON(JSON.encode(export))
        let isUnknown = record.contracts.isEmpty && record.orders.isEmpty && export.events.isEmpty
        return try exitCode(isUnknown: isUnknown && !allowsUnknown)
    }
}

/// Forgets a user.
struct Erase: Command {
    static let name = "erase"

    private let remote: RemoteServer
    private let user: String
    private let reason: String
    private let printsJSON: Bool
    private let allowsUnknown: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try RemoteServer(&arguments)
        printsJSON = try arguments.flag("--json")
        allowsUnknown = try arguments.flag("--allow-unknown")
        user = try arguments.required("--user")
        reason = try arguments.required("--reason", ": the log keeps it, such as “request of 1 May”")
    }

    func run() throws(CommandFailure) -> Int32 {
        let path = "/users/" + pathPart(user) + queryString([("reason", reason)])
        let bytes = try remote.delete(path, timeout: .seconds(600))
        let answer: ErasureAnswer = try remote.read(bytes, saying: "what it erased")
        let counts = [
            ("contracts", answer.contracts), ("orders", answer.orders), ("events", answer.events),
            ("fragments", answer.fragments),
        ]
        if printsJSON { printJSON(bytes) } else { printColumns(counts.map { ($0.0, "\($0.1)") }) }
        return try exitCode(isUnknown: !allowsUnknown && counts.allSatisfy { $0.1 == 0 })
    }
}

/// The exit code of a command about one user. A misspelt id must not look like a user without data.
func exitCode(isUnknown: Bool) throws(CommandFailure) -> Int32 {
    guard isUnknown else { return 0 }
    throw CommandFailure("nothing is known about this user: check the id (--allow-unknown accepts that)")
}
