import Domain
import Simulator
import TestSupport
import Testing

/// Stripe promises no order, dates events with whole seconds, and sends some of them twice.
@Suite(.timeLimit(.minutes(10))) struct StripeConvergenceTests {
    private static let bought = "customer.subscription.created"
    private static let updated = "customer.subscription.updated"

    /// Lives whose events may come in any order; each happens in the same second as the one before where it says `=`.
    static let lives = [
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

    @Test(arguments: lives, SimulatedStripe.Shape.allCases)
    func orderDoesNotMatter(_ life: [String], _ shape: SimulatedStripe.Shape) throws {
        var told = try StripeStory(shape: shape)
        var events: [Event] = []
        for words in life {
            let step =
                words.hasPrefix("=")
                ? try told.say(String(words.dropFirst()), after: .zero) : try told.say(words, after: .seconds(60))
            events.append(step.event)
        }
        for order in permutations(events) {
            var story = told
            story.contracts = [:]
            // Twice each: a delivery that is not answered in time is repeated.
            for event in order { try story.take(event) }
            for event in order.reversed() { try story.take(event) }
            #expect(story.contracts == told.contracts)
        }
    }

    @Test(arguments: SimulatedStripe.Shape.allCases)
    func refundsAndDisputesConvergeToo(_ shape: SimulatedStripe.Shape) throws {
        let facts = SimulatedSubscription(product: "paycast.lifetime", kind: .nonConsumable, lineage: "pi_1")
        let life = [
            "checkout.session.completed/unpaid", "checkout.session.async_payment_succeeded", "charge.refunded/partial",
            "charge.refunded", "charge.dispute.funds_reinstated",
        ]
        var told = try StripeStory(facts, shape: shape)
        let events = try life.map { try told.say($0).event }
        for order in permutations(events) {
            var story = told
            story.contracts = [:]
            for event in order { try story.take(event) }
            let ends = [story, told].map { $0.contracts.values.compactMap { $0.status(at: story.now) } }
            #expect(ends[0] == ends[1])
        }
    }

    /// https://github.com/laravel/cashier-stripe/issues/1759: with the same date, and even with a later one.
    @Test(arguments: [Duration.zero, .seconds(1), .seconds(60)])
    func incompleteNeverOverwritesActive(_ delay: Duration) throws {
        for isLate in [false, true] {
            var story = try StripeStory()
            let active = try story.event("\(Self.bought)/active")
            story.now = story.now + delay
            let incomplete = try story.event("\(Self.updated)/incomplete")
            for event in isLate ? [active, incomplete] : [incomplete, active] { try story.take(event) }
            #expect(story.contracts.values.first?.status(at: story.now)?.state == .active)
        }
    }

    /// What ended does not come back, whatever else carries the same second.
    @Test func canceledIsTheLastWord() throws {
        var story = try StripeStory()
        try story.say(Self.bought)
        let deleted = try story.event("customer.subscription.deleted")
        let renewed = try story.event(Self.updated)
        for order in [[deleted, renewed], [renewed, deleted]] {
            var other = story
            for event in order { try other.take(event) }
            #expect(other.contracts.values.first?.status(at: other.now)?.state == .expired)
        }
    }

    /// An open invoice can be paid after the subscription has ended; it opens nothing.
    @Test func invoicePaidAfterTheEndOpensNothing() throws {
        var story = try StripeStory()
        try story.say(Self.bought)
        let invoice = try story.event("invoice.paid/subscription_cycle")
        try story.say("customer.subscription.deleted")
        try story.take(invoice)
        #expect(story.contracts.values.first?.status(at: story.now)?.state == .expired)
    }

    @Test func paidSessionOpensADayUntilTheSubscriptionIsHeardOf() throws {
        var story = try StripeStory()
        let session = try story.say("checkout.session.completed")
        #expect(session.state == .active)
        #expect(story.facts.accessUntil == story.now + .seconds(86_400))
        try story.say(Self.bought)
        #expect(story.facts.accessUntil == story.now + .seconds(30 * 86_400))
    }
}

private func permutations<Item>(_ items: [Item]) -> [[Item]] {
    guard let first = items.first else { return [[]] }
    return permutations(Array(items.dropFirst())).flatMap { rest in
        (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
    }
}
