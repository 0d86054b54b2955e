import Support
import Synchronization
import TestSupport
import Testing

@testable import Domain
@testable import Ledger

/// What a batch, and pages that come back together, cost on the way to PostgreSQL.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct RoundTripTests {
    private static let policy = AccessPolicy(sandboxUsers: .only([]))
    private let cluster: PostgresCluster
    private let proxy: CuttingProxy

    init() throws {
        cluster = try PostgresCluster()
        proxy = CuttingProxy(toPort: cluster.port)
    }

    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case purchases, renewals, orders, ordersWithoutToken, auditedOrders, locales, broadcasts, keyedBroadcasts

        var testDescription: String { rawValue }
    }

    /// Not a round trip for each command.
    @Test(arguments: Kind.allCases) func aBatchCostsAFew(_ kind: Kind) throws {
        let engine = try self.engine("batch", through: proxy.port)
        var loop = try WriterLoop(engine)
        if kind == .renewals {
            try loop.run(commands(.purchases, count: 200))
            // The other nodes were told of the last commit without waiting. Once an order is answered, the proxy has counted
            // that.
            try loop.run(commands(.orders, count: 1))
        }
        let before = proxy.requests
        try loop.run(commands(kind, count: 200))
        #expect(proxy.requests - before <= 13)
    }

    @Test func returningPagesCostAFew() throws {
        let engine = try self.engine("pages", through: cluster.port)
        var loop = try WriterLoop(engine)
        try loop.run(commands(.purchases, count: 200))
        var queries = try self.engine("pages", through: proxy.port)
            .openQueries(policy: RoundTripTests.policy, streams: .standard)
        let before = proxy.requests
        let counts = Mutex<[Int]>([])
        let answers = queries.answer(
            try (0..<200).map { number in
                let stream = try #require(StreamPattern.standard.stream(for: "user-\(number)"))
                return { queries in
                    let missed = try? queries.missed(on: stream, since: .nothing, limit: 100)
                    return QuestionAnswer(isFailure: missed == nil) {
                        counts.withLock { $0.append(missed?.items.count ?? -1) }
                    }
                }
            }
        )
        for answer in answers { answer.deliver() }
        #expect(counts.withLock { $0 } == Array(repeating: 1, count: 200))
        #expect(proxy.requests - before <= 13)
    }

    /// Rows of one table go together, whichever command they are of: the same is written as command by command.
    @Test func aBatchWritesWhatItsCommandsWrite() throws {
        var all = try Kind.allCases.flatMap { try commands($0, count: 12, users: 5) }
        all += try commands(.renewals, count: 12, users: 3)
        var dumps: [String] = []
        for isBatch in [true, false] {
            let schema = isBatch ? "together" : "apart"
            var loop = try WriterLoop(try engine(schema, through: cluster.port))
            for batch in isBatch ? [all] : all.map({ [$0] }) { try loop.run(batch) }
            dumps.append(try dump(schema))
        }
        #expect(dumps[0] == dumps[1])
        #expect(dumps[0].split(separator: "\n").count > 60)
    }

    private func engine(_ schema: String, through port: Int) throws -> PostgresEngine {
        let url = try PostgresURL("postgres://paycast@127.0.0.1:\(port)/postgres")
        return try PostgresEngine(url: url, schema: schema, node: "one")
    }

    private func commands(_ kind: Kind, count: Int, users: Int = 200) throws -> [LedgerCommand] {
        try (0..<count).map { number in
            // What an array's text has to quote.
            let user = UserID(users < 200 ? #"a "quoted\", {NULL} user's \#(number % users)"# : "user-\(number)")
            let token = try #require(OrderToken("00000000-0000-4000-8000-\(100_000_000_000 + number)"))
            let stream = try #require(StreamPattern.standard.stream(for: user))
            let html = Fragment(stream: stream, action: "replace", target: "paywall", content: .html("x"))
            switch kind {
            case .purchases, .renewals:
                let minute: Int64 = kind == .purchases ? 0 : Int64(1 + number)
                let event = Fixture.subscription(
                    "\(kind)-\(number)",
                    state: .active,
                    minute: minute,
                    token: token,
                    key: Fixture.key("lineage-\(number % users)")
                )
                return .event(event, claim: Claim(user: user), receivedAt: Fixture.now) { #expect($0.success != nil) }
            case .orders:
                return .order(OrderRequest(user: user, product: "monthly", token: token)) { #expect($0.success != nil) }
            case .ordersWithoutToken:
                // Its token would be another one each time.
                let request = OrderRequest(user: user, product: "monthly", token: users < 200 ? token : nil)
                return .order(request) { #expect($0.success != nil) }
            case .auditedOrders:
                let request = OrderRequest(user: user, product: "annual", token: token)
                let act = Act(.order, by: Act.Actor(name: "shop"), user: user)
                return .audited(.order(request) { #expect($0.success != nil) }, by: act)
            case .locales:
                let locale = UserLocale(language: LanguageTag("de"), timeZone: TimeZoneName("Europe/Berlin"))
                return .locale(locale, of: user) { #expect($0.success != nil) }
            case .broadcasts: return .broadcast([html]) { #expect($0.success != nil) }
            case .keyedBroadcasts:
                let key = try #require(IdempotencyKey(header: "key-\(number % users)"))
                return .broadcastOnce([html], KeyedRequest(key: key, digest: "same")) { #expect($0.success != nil) }
            }
        }
    }

    /// Every row without its times.
    private func dump(_ schema: String) throws -> String {
        let times =
            "CAST('{committed_at,at,created_at,first_at,proof_at,refused_at,queued_at,due_at,user_at}' AS TEXT[])"
        return try [
            "head", "contracts", "charges", "tokens", "claims", "orders", "locales", "entries", "fragments", "events",
            "jobs",
            "broadcast_keys", "hook_deliveries", "audit", "meta",
        ].map { table in
            // Its ids follow the position of the commit.
            let others = table == "hook_deliveries" ? "- CAST('id' AS TEXT)" : ""
            return try cluster.psql(
                """
                SELECT '\(table) ' || CAST(to_jsonb(t) - \(times) - CAST('epoch' AS TEXT) \(others) AS TEXT)
                FROM \(schema).\(table) AS t
                WHERE COALESCE(to_jsonb(t) ->> 'key', '') NOT IN ('erasure_key', 'history') ORDER BY 1
                """
            )
        }.joined(separator: "\n")
    }
}

extension WriterLoop {
    fileprivate init(_ engine: PostgresEngine) throws {
        let metrics = Metrics()
        var policy = AccessPolicy(sandboxUsers: .only([]))
        policy.hooks = [HookTarget(address: "https://backend.example"), HookTarget(address: "https://crm.example")]
        self.init(
            repository: try engine.openRepository(policy: policy, streams: .standard),
            clock: Clock(startingAt: Fixture.now),
            log: .silent,
            counts: LedgerMetrics(metrics, providers: []),
            health: LedgerHealth(.silent, metrics: metrics),
            onCommit: { _ in },
            onLocale: { _ in }
        )
    }

    /// One batch.
    fileprivate mutating func run(_ commands: [LedgerCommand]) throws {
        let mailbox = Mailbox<LedgerCommand>(capacity: .max) {}
        for command in commands { mailbox.send(command) }
        mailbox.close()
        run(mailbox, waker: Waker()) {}
    }
}
