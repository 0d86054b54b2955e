import API
import APIModel
import Commands
import Domain
import Stores
import Support

/// Fetches what a store sent while no server was listening.
struct Recover: Command {
    static let name = "recover"
    static let summary = "fetch what a store sent while no server was listening"
    static let help = """
        Fetch what a store sent while no server was listening, and commit it.

        Usage: paycast recover apple|google [OPTIONS]

        Apple keeps all notifications for 180 days, Google a list of voided purchases
        for 30. Prints how many were found, how many of them were new, and their
        outcomes; exits 1 if something could not be fetched. The server needs the
        store's API key; it also does this by itself at start and every hour.

        Options:
          --since INSTANT       an instant, a date, or how long ago: 7d, 12h; without
                                it, since the last success
          --json                the server's answer as JSON
        \(RemoteServer.optionsHelp)

        Example: paycast recover apple --since 7d
        """
    static let stores = Stores.namesWithHistory
    /// How long nothing may be heard of a recovery: of several nodes, only one knows it, and a server is away while it is
    /// restarted.
    private static let patience = Duration.seconds(30)

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

    func run() throws(CommandFailure) -> Int32 {
        let request = RecoveryRequest(provider: store, since: since?.iso8601)
        let begun: RecoveryAnswer = try remote.read(remote.post(request, to: "/recoveries"), saying: "what it recovers")
        let path = "/recoveries/" + pathPart(begun.id)
        let status: @Sendable () -> String? = { [remote] in
            let answer: RecoveryAnswer? = try? remote.get(path, saying: "how far it is")
            return answer.map { "\($0.found) found, \($0.recovered) recovered" }
        }
        let (answer, bytes) = try ProgressLine().counting("recovering from \(store)", status: status) {
            () throws(CommandFailure) in try followed(path)
        }
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
        return answer.state == .done && answer.problems.isEmpty ? 0 : 1
    }

    /// Asks until the recovery has ended: half a year of notifications arrives in pages of twenty.
    private func followed(_ path: String) throws(CommandFailure) -> (RecoveryAnswer, [UInt8]) {
        var lastHeard = ContinuousClock.now
        var pause = Duration.milliseconds(50)
        while true {
            do throws(CommandFailure) {
                let bytes = try remote.get(path)
                let answer: RecoveryAnswer = try remote.read(bytes, saying: "what it recovered")
                if answer.state != .running { return (answer, bytes) }
                lastHeard = .now
            } catch {
                guard lastHeard.duration(to: .now) < Recover.patience else { throw error }
            }
            Waker().wait(timeout: pause)
            pause = min(pause * 2, .seconds(1))
        }
    }
}
