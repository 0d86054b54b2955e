import API
import APIModel
import Commands
import Domain

/// Prints everything known about a user, or the charges of all.
struct Export: Command {
    static let name = "export"
    static let summary = "print everything known about a user, or the charges of all users"
    static let help = """
        Print everything known about a user, as one JSON document, or the charges of
        all, as CSV.

        Usage: paycast export --user USER [OPTIONS]
               paycast export --purchases [--since TIME] [OPTIONS]

        About a user, the output contains the contracts, the charges, the orders, who
        did what to the user, and every event with its effects and the body that the
        store sent, word for word, as long as that is kept. The body may say more about
        the user than your app knows: name, address, e-mail.

        Of the charges, there is one line for each, with its amounts in the currency's
        own units and its dates in UTC. They come contract by contract.

        Options:
          --user USER           the user to export
          --allow-unknown       exit 0 even when nothing is known about the user
          --purchases           the charges of all users
          --since TIME          only those made or refunded since then: a date such as
                                2026-01-01, with a time, or an age such as 31d
        \(RemoteServer.optionsHelp)

        Examples: paycast export --user 42 > 42.json
                  paycast export --purchases --since 2026-01-01 > charges.csv
        """
    /// A body may have 256 KiB.
    private static let pageSize = 20
    private static let subject = "what it knows"

    private let remote: RemoteServer
    /// Nil for the charges of all.
    private let user: String?
    private let allowsUnknown: Bool
    private let since: Instant?

    init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try RemoteServer(&arguments)
        let isOfAll = try arguments.flag("--purchases")
        allowsUnknown = try arguments.flag("--allow-unknown")
        since = try arguments.option("--since").map { text throws(UsageError) in
            guard let since = timeArgument(text) else {
                throw UsageError("--since must be a time such as 2026-01-01 or 31d, not \(quoted(text))")
            }
            return since
        }
        user = isOfAll ? try arguments.option("--user") : try arguments.required("--user")
        guard isOfAll ? user == nil && !allowsUnknown : since == nil else {
            throw UsageError("--purchases are those of all users: --since goes with it, --user does not")
        }
    }

    func run() throws(CommandFailure) -> Int32 {
        guard let user else { return try printPurchases() }
        return try printUser(user)
    }

    /// A page at a time, whatever their number.
    private func printPurchases() throws(CommandFailure) -> Int32 {
        printAsIs(PurchaseCSV.header)
        var before: String?
        repeat {
            let query = queryString([("since", since?.iso8601), ("limit", "100"), ("before", before)])
            let page: PurchasesAnswer = try remote.get("/purchases" + query, saying: "what was charged")
            for purchase in page.purchases { printAsIs(PurchaseCSV.row(purchase)) }
            before = page.next
        } while before != nil
        return 0
    }

    private func printUser(_ user: String) throws(CommandFailure) -> Int32 {
        let path = "/users/" + pathPart(user)
        let record: UserAnswer = try remote.get(path + queryString([("all", "true")]), saying: Export.subject)
        var export = UserExport(record: record, events: [])
        export.events = try allPages { before throws(CommandFailure) in
            let query: QueryItems = [("bodies", "true"), ("limit", "\(Export.pageSize)"), ("before", before)]
            let page: UserEventsAnswer = try remote.get(path + "/events" + queryString(query), saying: Export.subject)
            return (page.events, page.next)
        }
        export.purchases = try allPages { before throws(CommandFailure) in
            let query = queryString([("limit", "100"), ("before", before)])
            let page: PurchasesAnswer = try remote.get(path + "/purchases" + query, saying: Export.subject)
            return (page.purchases, page.next)
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
