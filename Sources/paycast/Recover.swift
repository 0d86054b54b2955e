import API
import APIModel
import Commands
import Domain
import Stores

/// Fetches what a store sent while no server was listening.
struct Recover: Command {
    static let name = "recover"
    static let stores = Stores.namesWithHistory

    private let remote: RemoteServer
    private let store: String
    private let since: Instant?
    private let printsJSON: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try RemoteServer(&arguments)
        printsJSON = try arguments.flag("--json")
        let since = try arguments.option("--since")
        guard let store = try arguments.positional() else { throw UsageError("which store? paycast recover apple") }
        guard Recover.stores.contains(store) else {
            let hint = suggestion(for: store, among: Recover.stores)
            throw UsageError("there is no history to fetch for \(quoted(store))" + hint)
        }
        self.store = store
        self.since = try since.map { text throws(UsageError) in
            guard let instant = timeArgument(text) else {
                let forms = "an instant such as 2026-01-31T12:00:00Z, a date, or 7d"
                throw UsageError("--since must be \(forms), not \(quoted(text))")
            }
            return instant
        }
    }

    /// The progress of the store's newest recovery; nil if it is unknown.
    private static func status(of store: String, at remote: RemoteServer) -> String? {
        guard let bytes = try? remote.get("/recoveries", timeout: .seconds(2)),
            let running = JSON.decode(RecoveriesAnswer.self, from: bytes)?.running.last(where: { $0.provider == store })
        else { return nil }
        return "\(running.found) found, \(running.recovered) recovered"
    }

    func run() throws(CommandFailure) -> Int32 {
        // Half a year of notifications arrives in pages of twenty, which takes a while.
        let request = RecoveryRequest(provider: store, since: since?.iso8601)
        let status: @Sendable () -> String? = { [remote, store] in Recover.status(of: store, at: remote) }
        let bytes = try Progress().counting("recovering from \(store)", status: status) { () throws(CommandFailure) in
            try remote.post(request, to: "/recoveries", timeout: .seconds(1800))
        }
        let answer: RecoveryAnswer = try remote.read(bytes, saying: "what it recovered")
        if printsJSON {
            printJSON(bytes)
        } else {
            printText("found      \(answer.found)")
            printText("recovered  \(answer.recovered)")
            printText("refused    \(answer.refused)")
            for (outcome, count) in answer.outcomes.sorted(by: { $0.key < $1.key }) {
                printText("  \(outcome) \(count)")
            }
        }
        for problem in answer.problems { printError("paycast: \(problem)") }
        return answer.problems.isEmpty ? 0 : 1
    }
}
