import Crypto
import Domain
import Glibc
import Ledger
import Stores
import TestSupport
import Testing

@testable import Simulator

/// Users who take turns on one Apple ID: the last buyer holds the subscription, in whatever order and however often
/// events arrive.
/// `PAYCAST_SEED` sets the first seed.
@Suite struct TurnsTests {
    private static let histories = UInt64(TemporaryLedger.isInPostgres ? 5 : GeneratedCases.areWhole ? 40 : 5)
    private static let first =
        getenv("PAYCAST_SEED").flatMap { UInt64(String(cString: $0)) } ?? .random(in: 1...1_000_000)

    @Test(arguments: TransferPolicy.allCases)
    func buyersOfOneSubscriptionTakeTurns(_ policy: TransferPolicy) throws {
        print("PAYCAST_SEED=\(Self.first), \(policy.rawValue)")
        let wire = try TurnsWire()
        let ledgers = try (0..<4).map { _ in try TruthLedger(policy: policy) }
        for seed in Self.first..<(Self.first + Self.histories) {
            let turns = try Turns(seed: seed, on: wire)
            var generator = SeededGenerator(seed: seed)
            for ledger in ledgers {
                let arrivals = turns.history.arrivals(using: &generator)
                let end = arrivals.map(\.at).reduce(turns.history.end, max)
                let found = try ledger.run(arrivals, of: turns.history.users, until: end)
                let holders = turns.history.users.filter { found[$0]?.held.isEmpty == false }
                let steps = arrivals.map { "\n  \($0.at.iso8601) \($0.delivery.name)" }.joined()
                try #require(Set(holders) == turns.holders(policy), "seed \(seed), \(policy.rawValue):\(steps)")
            }
        }
    }

    /// The shortest case: A buys, B buys, A buys again.
    @Test func buyerWhoReturnsHoldsTheSubscription() throws {
        let wire = try TurnsWire()
        var turns = Turns(seed: 1)
        for buyer in [0, 1, 0] { try turns.buy(buyer, on: wire) }
        turns.history.finish()
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0], [0, 2, 1], [1, 0, 2], [2, 0, 1]] {
            let events = turns.history.deliveries.filter { $0.name.hasPrefix("SUBSCRIBED") }
            let orders = turns.history.deliveries.filter { $0.name.hasPrefix("order") }
            let arrivals = (orders + order.map { events[$0] }).map { (turns.history.end, $0) }
            let found = try TruthLedger(policy: .transfer)
                .run(arrivals, of: turns.history.users, until: turns.history.end)
            #expect(found[turns.history.users[0]]?.isActive == true, "\(order)")
            #expect(found[turns.history.users[1]]?.held.isEmpty == true, "\(order)")
        }
    }
}

/// Signs Apple's documents and verifies them.
struct TurnsWire {
    let store: SimulatedAppStore
    let verifier: AppleVerifier

    init() throws {
        let authority = try AppleFixture.authority.get()
        store = SimulatedAppStore(signer: AppStoreSigner(chain: authority.chain, key: authority.leafKey))
        verifier = try AppleVerifier(
            bundleIDs: .any,
            appIDs: .any,
            environments: [.production],
            roots: try #require(TrustedRoots(pem: authority.root))
        )
    }
}

/// Purchases, renewals, cancellations and expiries on one Apple ID. Only the list of purchases decides who owns the
/// subscription.
struct Turns {
    var history: History
    private var purchases: [UserID] = []
    private var facts: SimulatedSubscription
    private var token: OrderToken
    private var generator: SeededGenerator
    private var now = AppleFixture.now

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        history = History(seed: seed, policy: .transfer, users: (0..<3).map { "\(seed)-\($0)" }, end: now)
        token = OrderToken.random(using: &generator)
        facts = SimulatedSubscription(product: "paycast.pro.monthly", order: token)
    }

    init(seed: UInt64, on wire: TurnsWire) throws {
        self.init(seed: seed)
        for step in 0..<Int.random(in: 2...12, using: &generator) {
            pass()
            switch Int.random(in: 0..<6, using: &generator) {
            case _ where step == 0 || !facts.state.givesAccess && Bool.random(using: &generator):
                try buy(Int.random(in: 0..<3, using: &generator), on: wire)
            case 0, 1, 2: try renew(on: wire)
            case 3: try notify("DID_CHANGE_RENEWAL_STATUS", subtype: "AUTO_RENEW_DISABLED", on: wire)
            case 4: try notify("DID_CHANGE_RENEWAL_STATUS", subtype: "AUTO_RENEW_ENABLED", on: wire)
            default:
                now = max(now, facts.accessUntil ?? now) + .seconds(1)
                facts.state = .expired
                try notify("EXPIRED", subtype: "VOLUNTARY", on: wire)
            }
        }
        history.finish()
    }

    /// The owners: under `keep` the first buyer, under `share` all of them, otherwise the last one.
    func holders(_ policy: TransferPolicy) -> Set<UserID> {
        switch policy {
        case .share: Set(purchases)
        case .keep: Set(purchases.prefix(1))
        case .transfer, .transferIfInactive: Set(purchases.suffix(1))
        }
    }

    /// Buys with a new order, or with the buyer's order from before.
    mutating func buy(_ buyer: Int, on wire: TurnsWire) throws {
        pass()
        let user = history.users[buyer]
        let isKnown = orders[user] != nil && Bool.random(using: &generator)
        token = isKnown ? orders[user] ?? token : OrderToken.random(using: &generator)
        orders[user] = token
        let order = Order(token: token, user: user, product: facts.product)
        history.deliveries.append(HistoryStep(name: "order of \(user)", at: now, content: .order(order)))
        purchases.append(user)
        facts.state = .active
        facts.renewals = 0
        try notify("SUBSCRIBED", subtype: purchases.count == 1 ? "INITIAL_BUY" : "RESUBSCRIBE", on: wire)
        facts.accessUntil = now + StoreTimeline.period
    }

    private var orders: [UserID: OrderToken] = [:]

    private mutating func renew(on wire: TurnsWire) throws {
        now = max(now, facts.accessUntil ?? now) + .seconds(1)
        facts.state = .active
        try notify("DID_RENEW", subtype: nil, on: wire)
        facts.renewals += 1
        facts.accessUntil = now + StoreTimeline.period
    }

    private mutating func pass() {
        now = now + .seconds(Int64.random(in: 60...3_000_000, using: &generator))
        if let end = facts.accessUntil, end <= now { facts.state = .expired }
    }

    private mutating func notify(_ type: String, subtype: String?, on wire: TurnsWire) throws {
        let event = SimulatedEvent(
            type: type,
            subtype: subtype,
            facts: facts,
            token: token,
            environment: .production,
            now: now,
            id: "\(history.seed)-\(history.deliveries.count)"
        )
        let verified = try wire.verifier.verify(body: try wire.store.delivery(event).body, now: now)
        let name = "\(type) \(subtype ?? "") with \(token.description.prefix(4))"
        history.deliveries.append(HistoryStep(name: name, at: now, content: .event(verified)))
        history.end = now
    }
}
