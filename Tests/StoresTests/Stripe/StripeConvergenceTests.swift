import Domain
import Simulator
import TestSupport
import Testing

/// Stripe promises no order, dates events with whole seconds, and sends some of them twice.
@Suite struct StripeConvergenceTests {
    private static let bought = "customer.subscription.created"
    private static let updated = "customer.subscription.updated"

    /// Their events may come in any order; each happens in the same second as the one before where it says `=`.
    static let scenarios = [
        [
            "\(bought)/incomplete", "=\(updated)/active", "=checkout.session.completed",
            "=invoice.paid/subscription_create",
        ],
        ["checkout.session.completed", bought, updated, "\(updated)/past_due", "\(updated)/recovered"],
        [bought, "=\(updated)/cancel", "customer.subscription.deleted", "invoice.payment_failed"],
        [bought, "\(updated)/past_due", "\(updated)/unpaid", "=customer.subscription.deleted/payment_failed"],
        ["\(bought)/incomplete", "\(updated)/incomplete_expired", "=\(updated)/incomplete"],
        [bought, "\(updated)/price", "\(updated)/pending_update", "customer.subscription.pending_update_expired"],
        [bought, "customer.subscription.paused", "customer.subscription.resumed", "=invoice.paid/subscription_cycle"],
    ]

    @Test(arguments: scenarios, SimulatedStripe.Shape.allCases)
    func orderDoesNotMatter(_ scenario: [String], shape: SimulatedStripe.Shape) throws {
        var inOrder = try StripeTimeline(shape: shape)
        var events: [Event] = []
        for words in scenario {
            let step =
                words.hasPrefix("=")
                ? try inOrder.say(String(words.dropFirst()), after: .zero) : try inOrder.say(words, after: .seconds(60))
            events.append(step.event)
        }
        try inOrder.expectSameContracts(inEveryOrderOf: events)
    }

    @Test(arguments: SimulatedStripe.Shape.allCases)
    func refundsAndDisputesConvergeToo(_ shape: SimulatedStripe.Shape) throws {
        let facts = SimulatedSubscription(product: "paycast.lifetime", kind: .nonConsumable, lineage: "pi_1")
        let scenario = [
            "checkout.session.completed/unpaid", "checkout.session.async_payment_succeeded", "charge.refunded/partial",
            "charge.refunded", "charge.dispute.funds_reinstated",
        ]
        var inOrder = try StripeTimeline(facts, shape: shape)
        let events = try scenario.map { try inOrder.say($0).event }
        for order in permutations(events) {
            var timeline = inOrder
            timeline.contracts = [:]
            for event in order { try timeline.take(event) }
            let ends = [timeline, inOrder].map { $0.contracts.values.compactMap { $0.status(at: timeline.now) } }
            #expect(ends[0] == ends[1])
        }
    }

    /// https://github.com/laravel/cashier-stripe/issues/1759: with the same date, and even with a later one.
    @Test(arguments: [Duration.zero, .seconds(1), .seconds(60)])
    func incompleteNeverOverwritesActive(_ delay: Duration) throws {
        for isLate in [false, true] {
            var timeline = try StripeTimeline()
            let active = try timeline.event("\(Self.bought)/active")
            timeline.now = timeline.now + delay
            let incomplete = try timeline.event("\(Self.updated)/incomplete")
            for event in isLate ? [active, incomplete] : [incomplete, active] { try timeline.take(event) }
            #expect(timeline.contracts.values.first?.status(at: timeline.now)?.state == .active)
        }
    }

    /// What ended does not come back, whatever else carries the same second.
    @Test func canceledIsTheLastWord() throws {
        var timeline = try StripeTimeline()
        try timeline.say(Self.bought)
        let deleted = try timeline.event("customer.subscription.deleted")
        let renewed = try timeline.event(Self.updated)
        for order in [[deleted, renewed], [renewed, deleted]] {
            var other = timeline
            for event in order { try other.take(event) }
            #expect(other.contracts.values.first?.status(at: other.now)?.state == .expired)
        }
    }

    /// An open invoice can be paid after the subscription has ended; it opens nothing.
    @Test func invoicePaidAfterTheEndOpensNothing() throws {
        var timeline = try StripeTimeline()
        try timeline.say(Self.bought)
        let invoice = try timeline.event("invoice.paid/subscription_cycle")
        try timeline.say("customer.subscription.deleted")
        try timeline.take(invoice)
        #expect(timeline.contracts.values.first?.status(at: timeline.now)?.state == .expired)
    }

    @Test func paidSessionOpensADayUntilTheSubscriptionIsHeardOf() throws {
        var timeline = try StripeTimeline()
        let session = try timeline.say("checkout.session.completed")
        #expect(session.state == .active)
        #expect(timeline.facts.accessUntil == timeline.now + .seconds(86_400))
        try timeline.say(Self.bought)
        #expect(timeline.facts.accessUntil == timeline.now + .seconds(30 * 86_400))
    }
}
