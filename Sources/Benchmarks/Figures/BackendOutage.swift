import Domain
import Glibc

/// An hour in which the app's backend is down: 100,000 changes wait for it in the ledger, pages show nothing of it, and
/// afterwards the backend learns the newest state of every user. Beside it, the same changes at a server that tells nobody.
enum BackendOutage: Benchmark {
    static let name = "hooks"
    private static let users = 10_000
    private static let changesOfAUser = 10
    private static let hour = 3600

    static func run(_ report: inout Report) throws {
        let loop = LoadLoop()
        let backend = try Backend(on: loop)
        backend.isUp = false
        try with(PaycastTarget.init) { alone in
            try with({ try PaycastTarget(in: $0, port: 0, backend: backend.url) }) { told in
                for target in [alone, told] { try loop.withClients { try change(target, on: loop) } }
                try addLatencies(of: told, beside: alone, on: loop, to: &report)
                guard backend.accepted == 0, backend.refused > 0 else {
                    throw BenchmarkError.notStarted("the backend was not down")
                }
                try addReturn(of: backend, to: told, on: loop, report: &report)
            }
        }
    }

    /// Commits the changes; then an hour has gone by.
    private static func change(_ target: PaycastTarget, on loop: LoadLoop) throws {
        let publishers = Publishers(target, on: loop)
        let (tokens, now) = try PurchaseLoad.orders(users, at: target, publishers: publishers)
        for round in 0..<changesOfAUser {
            for (channel, token) in tokens.enumerated() {
                let isLast = round == changesOfAUser - 1
                let start = now - .seconds(changesOfAUser)
                try publishers.send(
                    target.change(token, channel: channel, after: round, isLast: isLast, now: start)
                )
                loop.turn(milliseconds: 0)
            }
        }
        try publishers.finish()
        try publishers.send(target.advance(seconds: hour))
        try publishers.finish()
    }

    /// At both servers in turns.
    private static func addLatencies(
        of told: PaycastTarget,
        beside alone: PaycastTarget,
        on loop: LoadLoop,
        to report: inout Report
    ) throws {
        let rounds = try (0..<Comparison.rounds).map { _ in
            try [alone, told].map { target in
                try loop.withClients {
                    try SwapLatency.latencies(from: target, to: target, on: loop) {
                        try PurchaseLoad(SwapLatency.count, of: .apple, at: $0, publishers: $1)
                    }.sorted()
                }
            }
        }
        let waiting = "\(users * changesOfAUser) changes wait for the backend"
        for (name, share, limit) in [("p50", 0.5, 2.0), ("p99", 0.99, 10.0)] {
            let values = rounds.map { (floor: $0[0].percentile(share), value: $0[1].percentile(share)) }
            let figure = "webhook to page while \(waiting), \(name); floor: no backend"
            report.add(Row(figure: figure, unit: "ms", rounds: values, bound: .atMost(limit)))
        }
        let memory = [told, alone].map { ProcessFigures(id: $0.process.id).residentMemory / 1024 }
        report.add(
            Row(
                figure: "server while \(waiting); floor: no backend",
                unit: "MB",
                value: memory[0],
                floor: memory[1],
                ratio: memory[0] / memory[1]
            )
        )
    }

    /// The backend works again. What it was told last of each user is what the server answers.
    private static func addReturn(
        of backend: Backend,
        to target: PaycastTarget,
        on loop: LoadLoop,
        report: inout Report
    ) throws {
        var last: [String: String] = [:]
        backend.onMessage = { body in
            let text = String(decoding: body, as: UTF8.self)
            guard let user = member("user", of: text), let state = entitlements(in: text) else { return }
            last[user] = state
        }
        backend.isUp = true
        let start = nanoseconds()
        // An address that has failed for long is tried once a minute.
        try loop.turn(until: "every user's message", timeout: .seconds(180)) { last.count == users }
        let seconds = Double(nanoseconds() - start) / 1e9
        report.add("backend works again → told of \(users) users", "s", seconds)
        let asker = Publishers(target, connections: 1, on: loop)
        for channel in 0..<users {
            let answer = try asker.ask(target.entitlements(channel: channel))
            guard let user = member("user", of: answer), last[user] == entitlements(in: answer) else {
                throw BenchmarkError.hole("the backend does not know the newest state of user \(channel)")
            }
        }
        let told = "\(backend.accepted) messages told \(users) users' newest states, \(backend.refused) attempts failed"
        report.remark("While the backend was down, \(users * changesOfAUser) changes were committed. \(told) before.")
    }

    private static func member(_ name: String, of json: String) -> String? {
        json.between("\"\(name)\":\"", "\"")
    }

    /// There is one.
    private static func entitlements(in json: String) -> String? {
        json.between("\"entitlements\":{", "}}")
    }
}
