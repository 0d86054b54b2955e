internal import APIClient
internal import APIModel
internal import Domain
internal import Terminal

/// Forgets a user.
struct Erase: Command {
    static let name = "erase"

    private let remote: RemoteServer
    private let user: String
    private let reason: String
    private let printsJSON: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try RemoteServer(&arguments)
        printsJSON = try arguments.flag("--json")
        guard let user = try arguments.option("--user") else { throw UsageError("--user is missing") }
        guard let reason = try arguments.option("--reason") else {
            throw UsageError("--reason is missing: the log keeps it, such as “request of 1 May”")
        }
        self.user = user
        self.reason = reason
    }

    func run() throws(CommandFailure) -> Int32 {
        let path = "/users/" + pathPart(user) + queryString([("reason", reason)])
        let bytes = try remote.delete(path, timeout: .seconds(600))
        guard !printsJSON, let answer = JSON.decode(ErasureAnswer.self, from: bytes) else {
            printText(String(decoding: bytes, as: UTF8.self))
            return 0
        }
        let counts = [
            ("contracts", answer.contracts), ("orders", answer.orders), ("events", answer.events),
            ("fragments", answer.fragments),
        ]
        for (name, count) in counts { printText(name + String(repeating: " ", count: 11 - name.count) + "\(count)") }
        return 0
    }
}
