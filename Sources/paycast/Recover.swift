internal import Domain

/// Fetches what a store sent while no server was listening.
struct Recover: Command {
    static let name = "recover"
    static let stores = [Provider.apple.rawValue, Provider.google.rawValue]

    private let remote: Remote
    private let store: String
    private let since: Instant?
    private let printsJSON: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        remote = try Remote(&arguments)
        printsJSON = try arguments.flag("--json")
        let since = try arguments.option("--since")
        guard let store = try arguments.positional() else { throw UsageError("which store? paycast recover apple") }
        guard Recover.stores.contains(store) else {
            let hint = suggestion(for: store, among: Recover.stores)
            throw UsageError("no history can be fetched of \(quoted(store))" + hint)
        }
        self.store = store
        self.since = try since.map(Recover.instant)
    }

    /// Parses an instant, a date, or how long ago it was by the server's clock.
    private static func instant(_ text: String) throws(UsageError) -> Instant {
        guard let instant = moment(text) else {
            throw UsageError("--since is an instant such as 2026-01-31T12:00:00Z, a date, or 7d, not \(quoted(text))")
        }
        return instant
    }

    /// The progress of the store's newest recovery; nil if it is unknown.
    private static func status(of store: String, at remote: Remote) -> String? {
        guard let bytes = try? remote.get("/recoveries", timeout: .seconds(2)),
            let running = JSONValue(bytes)?["running"]?.items.last(where: { $0["provider"]?.words == store }),
            let found = running["found"]?.words, let recovered = running["recovered"]?.words
        else { return nil }
        return "\(found) found, \(recovered) recovered"
    }

    func run() throws(CommandFailure) -> Int32 {
        var body: [String: JSONValue] = ["provider": .text(store)]
        body["since"] = since.map { .text($0.iso8601) }
        // Half a year of notifications arrives in pages of twenty, which takes a while.
        let question = JSONValue.object(body)
        let status: @Sendable () -> String? = { [remote, store] in Recover.status(of: store, at: remote) }
        let bytes = try Progress().counting("recovering from \(store)", status: status) { () throws(CommandFailure) in
            try remote.post("/recoveries", question, timeout: .seconds(1800))
        }
        guard let answer = JSONValue(bytes), let found = answer["found"]?.words else {
            throw CommandFailure("\(remote.url) does not tell what it recovered: is that a Paycast server?")
        }
        let problems = answer["problems"]?.items.compactMap(\.words) ?? []
        if printsJSON {
            printText(String(decoding: bytes, as: UTF8.self))
        } else {
            printText("found      \(found)")
            for name in ["recovered", "refused"] {
                printText(name + String(repeating: " ", count: 11 - name.count) + (answer[name]?.words ?? "-"))
            }
            if case .object(let outcomes)? = answer["outcomes"] {
                for (outcome, count) in outcomes.sorted(by: { $0.key < $1.key }) {
                    printText("  \(outcome) \(count.words ?? "-")")
                }
            }
        }
        for problem in problems { printError("paycast: \(problem)") }
        return problems.isEmpty ? 0 : 1
    }
}
