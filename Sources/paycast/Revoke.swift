import Commands

/// Takes a grant back.
struct Revoke: Command {
    static let name = "revoke"
    static let summary = "take a grant back"
    static let help = """
        Take a grant back, with a reason, and show it on open pages.

        Usage: paycast revoke --user USER --grant ID --reason TEXT [OPTIONS]

        Takes back what “paycast grant” gave, and never what a store sold. Doing it
        again is harmless.

        Options:
          --user USER           whose grant it is
          --grant ID            the id that “grant” printed; “contract” in entitlements
          --reason TEXT         the reason, for the audit, without the user's id
          --json                the server's answer as JSON
        \(RemoteServer.optionsHelp)

        Example: paycast revoke --user 42 --grant ID --reason "granted by mistake"
        """

    private let remote: RemoteServer
    private let user: String
    private let grant: String
    private let reason: String
    private let printsJSON: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try RemoteServer(&arguments)
        printsJSON = try arguments.flag("--json")
        user = try arguments.required("--user")
        grant = try arguments.required("--grant", ": the id that “grant” printed, or the contract's")
        reason = try arguments.required("--reason", ": the audit keeps it, such as “granted by mistake”")
    }

    func run() throws(CommandFailure) -> Int32 {
        let path = "/users/" + pathPart(user) + "/grants/" + pathPart(grant) + queryString([("reason", reason)])
        let bytes = try remote.delete(path, timeout: .seconds(30))
        if printsJSON { printJSON(bytes) } else { try printGrant(bytes, from: remote) }
        return 0
    }
}
