import Glibc

/// A ledger with 1,000,000 events and 100,000 users: the cost of a long history.
enum LongHistory: Benchmark {
    static let name = "history"
    private static let events = 1_000_000
    private static let users = events / LedgerFill.eventsPerUser
    private static let times = 5000
    /// Some of the console's questions take tens of milliseconds.
    private static let consoleTimes = 500

    static func run(_ report: inout Report) throws {
        try withTemporaryFolder { folder in
            let path = folder + "/paycast.db"
            // The server creates the tables.
            _ = try StartUp.milliseconds(in: folder)
            try LedgerFill.fill(path, events: events)
            let figure = "\(events) events"
            let start = try (0..<Comparison.rounds).map { _ in try StartUp.milliseconds(in: folder) }
            report.add("\(figure): start", "ms", median(start))
            let target = try PaycastTarget(in: folder)
            let loop = LoadLoop()
            let asker = Publishers(target, connections: 1, on: loop)
            let epoch = try epoch(asker, at: target)
            try add(["p50", "p99"], of: "replay of a user's history", to: &report) {
                try replay(of: $0, epoch: epoch, at: target)
            }
            // The floor is an answer that a loop gives by itself.
            let up = try milliseconds(times) { _ in try asker.ask(target.question("/up")) }
            let answers = try milliseconds(times) { try asker.ask(target.entitlements(channel: $0)) }
            for (name, share, bound) in [("p50", 0.5, Row.Bound.none), ("p99", 0.99, .atMost(0.25))] {
                let round = (floor: up.percentile(share), value: answers.percentile(share))
                report.add(Row(figure: "\(figure): entitlements", unit: "ms \(name)", rounds: [round], bound: bound))
            }
            for (name, path) in questions {
                try add(["p99"], of: "console asks, \(name)", times: consoleTimes, bound: .atMost(100), to: &report) {
                    try asker.ask(target.question(path(target.user($0), $0)))
                }
            }
            let cookie = try target.logIn(asker)
            for (name, path) in pages {
                try add(["p99"], of: "console's page, \(name)", times: consoleTimes, bound: .atMost(100), to: &report) {
                    try asker.ask(target.console(path(target.user($0), $0), cookie: cookie))
                }
            }
            let bytes = fileSize(path) / Double(events) - Double(LedgerFill.bodySize)
            report.add("\(figure): ledger beside the bodies", "bytes an event", bytes)
        }
    }

    private typealias Asked = (name: String, path: @Sendable (_ user: String, _ number: Int) -> String)

    /// What the console's pages ask the API.
    private static let questions: [Asked] = [
        ("live", { _, _ in "/events?limit=50" }), ("live, filtered", { _, _ in "/events?outcome=stale&limit=50" }),
        ("a user's events", { user, _ in "/users/\(user)/events" }), ("search", { user, _ in "/search?q=\(user)" }),
        ("event", { _, number in "/events/event-\(number + 1)" }), ("attention", { _, _ in "/attention" }),
    ]

    /// The pages as a browser loads them, below `/console`.
    private static let pages: [Asked] = [
        ("overview", { _, _ in "" }), ("live", { _, _ in "/live" }),
        ("live, filtered", { _, _ in "/live?outcome=stale" }), ("user", { user, _ in "/users/\(user)" }),
        ("search", { user, _ in "/search?q=\(user)" }), ("event", { _, number in "/events/event-\(number + 1)" }),
        ("attention", { _, _ in "/attention" }), ("nodes", { _, _ in "/nodes" }),
    ]

    /// Rows of the milliseconds that `ask` takes for users from all over the ledger.
    private static func add(
        _ names: [String],
        of figure: String,
        times: Int = times,
        bound: Row.Bound = .none,
        to report: inout Report,
        ask: (Int) throws -> Void
    ) throws {
        let answers = try milliseconds(times, ask: ask)
        for name in names {
            let value = answers.percentile(name == "p50" ? 0.5 : 0.99)
            report.add("\(events) events: \(figure)", "ms \(name)", value, must: bound)
        }
    }

    private static func milliseconds(_ times: Int, ask: (Int) throws -> Void) throws -> [Double] {
        try (0..<times).map { number in
            // The stride is prime, so that consecutive users are not neighbors in the file.
            let user = number * 7919 % users
            let start = nanoseconds()
            try ask(user)
            return Double(nanoseconds() - start) / 1e6
        }.sorted()
    }

    private static func epoch(_ asker: Publishers, at target: PaycastTarget) throws -> String {
        let text = try asker.ask(target.rendering(channel: 0))
        guard let epoch = text.between(#""since":""#, "-") else { throw BenchmarkError.refused(text) }
        return epoch
    }

    /// Returns when all ten events of the user have arrived.
    private static func replay(of user: Int, epoch: String, at target: PaycastTarget) throws {
        let descriptor = try Sockets.connect(port: target.port, isBlocking: true)
        defer { close(descriptor) }
        let request = "GET \(target.path(channel: user))&since=\(epoch)-1 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        guard Sockets.send(Array(request.utf8), to: descriptor) else { throw BenchmarkError.system("send", errno) }
        // A replay ends with the ledger's newest position.
        let marker = Array("-\(events)\n".utf8)
        var received: [UInt8] = []
        while received.firstRange(of: marker) == nil {
            var readiness = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&readiness, 1, 10_000) == 1 else { throw BenchmarkError.refused("no replay of user \(user)") }
            let chunk = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
                count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0))
            }
            guard !chunk.isEmpty else { throw BenchmarkError.refused(String(decoding: received, as: UTF8.self)) }
            received += chunk
        }
    }
}

/// Fills a ledger with a year of a busy app, using the `sqlite3` tool: events, the fragments for pages, and contracts.
enum LedgerFill {
    static let eventsPerUser = 10
    static let bodySize = 1000

    static func fill(_ path: String, events: Int) throws(BenchmarkError) {
        let isFilled = try ChildProcess.run(["/usr/bin/env", "sqlite3", path, script(events)])
        guard isFilled else { throw .notStarted("filling a ledger needs the sqlite3 tool and this version's schema") }
    }

    private static func script(_ events: Int) -> String {
        """
        PRAGMA synchronous = OFF;
        BEGIN;
        CREATE TEMP TABLE numbers AS
            WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(events))
            SELECT n, n % (\(events) / \(eventsPerUser)) AS contract, 1700000000000 + n * 1000 AS instant FROM numbers;
        INSERT INTO entries (position, committed_at, kind, provider, environment, type, event, outcome, user, contract,
                product, state)
            SELECT n, instant, 'subscription.renewed', 'apple', 'Sandbox', 'DID_RENEW', 'event-' || n, 'applied',
                'bench-' || contract, 'lineage-' || contract, 'pro', 'active' FROM numbers;
        INSERT INTO events (position, provider, environment, event, app, signed_at, received_at, contract, body)
            SELECT n, 'apple', 'Sandbox', 'event-' || n, 'app', instant, instant,
                contract + (\(events) / \(eventsPerUser)) * (contract = 0), zeroblob(\(bodySize)) FROM numbers;
        INSERT INTO fragments (position, ordinal, stream, action, target, collapse_key, content, template, body)
            SELECT n, 0, 'user:bench-' || contract || ':paywall', 'replace', 'paywall', 'replace paywall', 'template', 'success',
                CAST('{}' AS BLOB) FROM numbers;
        INSERT INTO contracts (id, provider, environment, app, lineage, kind, user, user_at, is_family_shared, state, product,
                access_until, ends_at)
            SELECT n, 'apple', 'Sandbox', 'app', 'lineage-' || contract, 'subscription', 'bench-' || contract, instant, 0, 'active',
                'pro', 4000000000000, 4000000000000 FROM numbers WHERE n <= \(events) / \(eventsPerUser);
        COMMIT;
        """
    }
}
