import Crypto
import Domain
import Ledger
import Stores
import TestSupport
import Testing

@testable import Simulator

/// Holds the real ledger to the truth with what the stores really send: random histories in their wire formats, signed,
/// verified, and delivered in any order.
@Suite struct WireTests {
    private static let secret = "whsec_0123456789abcdef"
    private static let histories: UInt64 = GeneratedCases.areWhole ? 100 : 10

    @Test func appleConverges() throws {
        let authority = try AppleFixture.authority.get()
        let store = SimulatedAppStore(signer: AppStoreSigner(chain: authority.chain, key: authority.leafKey))
        let verifier = try AppleVerifier(
            bundleIDs: .any,
            appIDs: .any,
            environments: [.production],
            roots: try #require(TrustedRoots(pem: authority.root))
        )
        try check(store, verifier: verifier)
    }

    @Test func stripeConverges() throws {
        try check(SimulatedStripe(secret: Self.secret), verifier: #require(StripeVerifier(secrets: [Self.secret])))
    }

    @Test func revenueCatConverges() throws {
        let store = SimulatedRevenueCat(secret: Self.secret)
        try check(store, verifier: #require(RevenueCatVerifier(authorization: Self.secret)))
    }

    @Test func googleConverges() throws {
        try check { try GoogleHistory.history(seed: $0) }
    }

    @Test func purchaseKitConverges() throws {
        try check(
            SimulatedPurchaseKit(secret: Self.secret),
            verifier: #require(PurchaseKitVerifier(secret: Self.secret))
        )
    }

    private func check(_ store: some SimulatedStore, verifier: some StoreVerifier) throws {
        try check { try history($0, store: store, verifier: verifier) }
    }

    private func check(_ history: (UInt64) throws -> History) throws {
        let ledgers = try TruthTests.Ledgers(.transfer)
        for seed in 1...Self.histories {
            let history = try history(seed)
            guard let failure = try ledgers.failure(of: history) else { continue }
            Issue.record(Comment(rawValue: failure.smallest.report))
            return
        }
    }

    private func history<Store: SimulatedStore>(_ seed: UInt64, store: Store, verifier: some StoreVerifier) throws
        -> History
    {
        var generator = SeededGenerator(seed: seed)
        var history = History(seed: seed, policy: .transfer)
        let token = OrderToken.random(using: &generator)
        let user: UserID = "\(seed)-buyer"
        history.users = [user]
        var now = AppleFixture.now
        let order = Order(token: token, user: user, product: "paycast.pro.monthly")
        history.deliveries.append(HistoryStep(name: "order", at: now, content: .order(order)))
        var facts = SimulatedSubscription(product: order.product, order: token)
        let words = LifecycleEventNames(Store.provider)
        for number in 0..<Int.random(in: 2...10, using: &generator) {
            now = now + .seconds(Int64.random(in: 60...1_000_000, using: &generator))
            if facts.state.givesAccess, let end = facts.accessUntil, end <= now { facts.state = .expired }
            let steps = WireTests.steps(facts.state, at: Store.provider).filter { words.event(for: $0) != nil }
            guard let step = steps.randomElement(using: &generator), let notification = words.event(for: step) else {
                break
            }
            if Store.provider == .stripe { facts.changeAddOns(at: now, using: &generator) }
            var asked = SimulatedEvent(
                type: notification.type,
                subtype: notification.subtype,
                facts: facts,
                user: user.text,
                token: token,
                environment: .production,
                now: now
            )
            asked.id = "\(seed)-\(number)"
            let posted = try store.delivery(asked)
            let value = posted.headers.first?.1
            let event = try verifier.verify(
                .init(body: posted.body, authorization: value, signature: value),
                now: now
            )
            facts = facts.after(step, at: now)
            let name = "\(notification.type) \(notification.subtype ?? "") → \(facts.state.rawValue)"
            history.deliveries.append(HistoryStep(name: name, at: now, content: .event(event)))
        }
        history.end = now
        history.finish()
        return history
    }

    /// The steps that may follow. A subscription that has ended at Stripe cannot start again.
    private static func steps(_ state: ContractState, at provider: Provider) -> [LifecycleStep] {
        switch state {
        case .pending: [.initial]
        case .active: [.renew, .renew, .grace, .retry, .cancel, .expire, .refund, .upgrade, .downgrade]
        case .cancelled: [.resume, .expire, .refund]
        case .inGracePeriod: [.recover, .retry, .expire]
        case .inBillingRetry: [.recover, .expire]
        case .revoked: [.reversed]
        case .expired: provider == .stripe ? [] : provider == .purchasekit ? [.initial] : [.renew]
        case .paused, .owned, .delivered: []
        }
    }
}
