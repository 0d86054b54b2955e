import Domain
import Ledger
import Stores
import TestSupport
import Testing

@testable import Simulator

/// Random subscriptions at RevenueCat and PurchaseKit, from their wire format through the real ledger: in whatever
/// order and however often events are delivered, the ledger ends as if each had come once, in order.
@Suite(.blocking) struct WebhookConvergenceTests {
    private static let secret = "0123456789"
    private static let day = Duration.seconds(86_400)

    struct Step: Sendable {
        var type: String
        var subtype: String?
        var state: ContractState

        init(_ type: String, subtype: String? = nil, to state: ContractState) {
            self.type = type
            self.subtype = subtype
            self.state = state
        }
    }

    private static let revenueCat: [ContractState: [Step]] = [
        .active: [
            Step("RENEWAL", to: .active), Step("RENEWAL", to: .active),
            Step("CANCELLATION", subtype: "UNSUBSCRIBE", to: .cancelled),
            Step("BILLING_ISSUE", subtype: "GRACE", to: .inGracePeriod), Step("BILLING_ISSUE", to: .inBillingRetry),
            Step("CANCELLATION", subtype: "CUSTOMER_SUPPORT", to: .revoked), Step("SUBSCRIPTION_EXTENDED", to: .active),
            Step("SUBSCRIPTION_PAUSED", to: .active), Step("EXPIRATION", subtype: "SUBSCRIPTION_PAUSED", to: .paused),
            Step("PRODUCT_CHANGE", to: .active), Step("TRANSFER", subtype: "sister", to: .active),
            Step("SUBSCRIBER_ALIAS", to: .active),
        ],
        .cancelled: [Step("UNCANCELLATION", to: .active), Step("EXPIRATION", to: .expired)],
        .inGracePeriod: [Step("RENEWAL", to: .active), Step("EXPIRATION", subtype: "BILLING_ERROR", to: .expired)],
        .inBillingRetry: [Step("RENEWAL", to: .active), Step("EXPIRATION", subtype: "BILLING_ERROR", to: .expired)],
        .revoked: [Step("REFUND_REVERSED", to: .active), Step("RENEWAL", to: .active)],
        .paused: [Step("RENEWAL", to: .active)], .expired: [Step("RENEWAL", to: .active)],
    ]
    private static let purchaseKit: [ContractState: [Step]] = [
        .active: [
            Step("subscription.updated", to: .active), Step("subscription.canceled", to: .cancelled),
            Step("subscription.expired", to: .expired),
        ],
        .cancelled: [Step("subscription.updated", to: .active), Step("subscription.expired", to: .expired)],
        .expired: [Step("subscription.created", to: .active)],
    ]

    @Test(arguments: Array(UInt64(1)...12))
    func revenueCatConverges(seed: UInt64) throws {
        let verifier = try #require(RevenueCatVerifier(authorization: Self.secret))
        let store = SimulatedRevenueCat(secret: Self.secret)
        try check(
            seed,
            store: store,
            verifier: verifier,
            first: Step("INITIAL_PURCHASE", to: .active),
            next: Self.revenueCat
        )
    }

    @Test(arguments: Array(UInt64(1)...6))
    func purchaseKitConverges(seed: UInt64) throws {
        let verifier = try #require(PurchaseKitVerifier(secret: Self.secret))
        let store = SimulatedPurchaseKit(secret: Self.secret)
        try check(
            seed,
            store: store,
            verifier: verifier,
            first: Step("subscription.created", to: .active),
            next: Self.purchaseKit
        )
    }

    private func check(
        _ seed: UInt64,
        store: some SimulatedStore,
        verifier: some StoreVerifier,
        first: Step,
        next: [ContractState: [Step]]
    ) throws {
        var generator = SeededGenerator(seed: seed)
        let history = try randomHistory(store, verifier: verifier, first: first, next: next, using: &generator)
        let expected = try final(history.events, at: history.now)
        #expect(expected.flatMap(\.contracts).map(\.state) == [history.state], "seed \(seed)")
        for _ in 0..<5 {
            let repeated = history.events.filter { _ in Bool.random(using: &generator) }
            let deliveries = (history.events + repeated).shuffled(using: &generator)
            #expect(try final(deliveries, at: history.now) == expected, "seed \(seed)")
        }
    }

    /// Events in order, days apart, and the state in which they leave the subscription. The end of a period sends no
    /// event of its own.
    private func randomHistory(
        _ store: some SimulatedStore,
        verifier: some StoreVerifier,
        first: Step,
        next: [ContractState: [Step]],
        using generator: inout SeededGenerator
    ) throws -> (events: [Event], state: ContractState, now: Instant) {
        var events: [Event] = []
        var facts = SimulatedSubscription(product: "paycast.pro.monthly", lineage: "2000000000000001")
        var user: UserID = "buyer"
        var now = TemporaryLedger.start
        var step = first
        for index in 0..<Int.random(in: 2...8, using: &generator) {
            now = now + Self.day * Int.random(in: 1...3, using: &generator)
            let asked = SimulatedEvent(
                type: step.type,
                subtype: step.subtype,
                facts: facts,
                user: user.text,
                environment: .production,
                now: now,
                id: "e\(index)"
            )
            let posted = try store.delivery(asked)
            let value = posted.headers[0].1
            let event = try verifier.verify(
                .init(body: posted.body, authorization: value, signature: value),
                now: now
            )
            events.append(event)
            if let moved = event.transfer { user = moved.to }
            if let snapshot = event.observation?.snapshot { facts.accessUntil = snapshot.accessUntil }
            if step.state == .active, facts.state == .revoked {
                facts.accessUntil = event.observation?.snapshot?.accessUntil
            }
            facts.state = step.state
            facts.autoRenew = step.state != .cancelled
            step = next[step.state]?.randomElement(using: &generator) ?? step
        }
        return (events, facts.state, now)
    }

    private func final(_ events: [Event], at now: Instant) throws -> [UserEntitlements] {
        let ledger = try TemporaryLedger(now: now)
        defer { ledger.remove() }
        for event in events { _ = try ledger.send(event) }
        return try (["buyer", "sister"] as [UserID]).map { user in
            var held = try ledger.entitlements(user)
            held.since = Cursor(epoch: "0", position: 0)
            return held
        }
    }
}
