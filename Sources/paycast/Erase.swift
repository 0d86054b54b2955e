import API
import Commands
import Domain

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
