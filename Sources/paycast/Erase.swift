import API
import APIModel
import Commands

/// Forgets a user.
struct Erase: Command {
    static let name = "erase"
    static let summary = "erase a user, so that nothing brings the user back"
    static let help = """
        Erase a user, so that nothing that stores send brings the user back.

        Usage: paycast erase --user USER --reason TEXT [OPTIONS]

        Erases the user's contracts, orders, events, fragments and jobs, and reloads
        the user's open pages; prints how many there were. Positions stay, so cursors
        stay valid. What stores say about the erased contracts from now on is answered
        “ignored”. The user comes back only through an order or a purchase that the
        app's backend posts. Erasing again is harmless, and necessary after restoring a
        backup made before the erasure. Does not cancel a subscription: the user must
        do that at the store.

        Options:
          --user USER           the user to erase
          --reason TEXT         the reason, for the server's log, without the user's id
          --allow-unknown       exit 0 even when nothing was known about the user
          --json                the server's answer as JSON
        \(RemoteServer.optionsHelp)

        Example: paycast erase --user 42 --reason "request of 1 May"
        """

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
