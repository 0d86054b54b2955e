import API
import APIModel
import Commands

/// Prints everything known about a user.
struct Export: Command {
    static let name = "export"
    static let summary = "print everything known about a user, as one JSON document"
    static let help = """
        Print everything known about a user, as one JSON document.

        Usage: paycast export --user USER [OPTIONS]

        The output contains the contracts, the orders, who did what to the user, and
        every event with its effects and the body that the store sent, word for word, as
        long as that is kept. The body may say more about the user than your app knows:
        name, address, e-mail.

        Options:
          --user USER           the user to export
          --allow-unknown       exit 0 even when nothing is known about the user
        \(RemoteServer.optionsHelp)

        Example: paycast export --user 42 > 42.json
        """
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

/// The exit code of a command about one user. A misspelt id must not look like a user without data.
func exitCode(isUnknown: Bool) throws(CommandFailure) -> Int32 {
    guard isUnknown else { return 0 }
    throw CommandFailure("nothing is known about this user: check the id (--allow-unknown accepts that)")
}
