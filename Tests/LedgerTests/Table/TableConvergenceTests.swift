import Ledger
import TestSupport
import Testing

@testable import Domain
@testable import Simulator

/// What Google and Stripe say of one purchase where its order matters most: in every order, and each event twice, the
/// ledger and the page end in the same state. Random histories say none of it, or not in the same second.
@Suite(.blocking, .enabled(if: !TemporaryLedger.isInPostgres, "rules, which both engines share"))
struct TableConvergenceTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var provider: Provider
        var sold: ProductKind
        /// With `=` in the same second as the words before, otherwise a minute later.
        var words: [String]
        var state: ContractState
        var shape = SimulatedStripe.Shape.current

        var testDescription: String { "\(provider), \(shape): \(words.joined(separator: ", "))" }
    }

    private static func google(_ words: String..., of sold: ProductKind = .subscription, ends state: ContractState)
        -> Case
    {
        Case(provider: .google, sold: sold, words: words, state: state)
    }

    private static func stripe(_ words: String..., of sold: ProductKind = .subscription, ends state: ContractState)
        -> [Case]
    {
        SimulatedStripe.Shape.allCases.map {
            Case(provider: .stripe, sold: sold, words: words, state: state, shape: $0)
        }
    }

    /// Pub/Sub promises no order, and what was read at once may be committed late.
    private static let ofGoogle = [
        google("4/pending", "4", "2", "3", ends: .cancelled),
        google("4", "6", "5", "1", "VOIDED_PURCHASE/past", ends: .active),
        google("4", "11", "10", "1", "12", ends: .revoked), google("4", "4/upgrade", "2", "13", ends: .expired),
        google("4", "4/pending_upgrade", "20", ends: .expired),
        google("\(once)/pending", once, "VOIDED_PURCHASE", of: .nonConsumable, ends: .revoked),
        google("\(once)/pending", "ONE_TIME_PRODUCT_CANCELED", of: .nonConsumable, ends: .expired),
        // Google goes on to say `PURCHASED` of some purchases that were voided.
        google(once, "VOIDED_PURCHASE", once, of: .nonConsumable, ends: .revoked),
        // It says `EXPIRED` of a revoked subscription as well, before or after; each is read as it comes.
        google("4", "12", "13", ends: .revoked), google("4", "13", "12", ends: .revoked),
        google("4", "12", "13", "12", "13", ends: .revoked), google("4", "13", "13", ends: .expired),
        google("4", "12", "2", "13", ends: .expired),
    ]
    private static let once = "ONE_TIME_PRODUCT_PURCHASED"

    /// Stripe promises no order, dates events with whole seconds, and sends some of them twice.
    private static let ofStripe = [
        stripe(
            "\(created)/incomplete",
            "=\(updated)/active",
            "=checkout.session.completed",
            "=invoice.paid/subscription_create",
            ends: .active
        ),
        stripe(
            "checkout.session.completed",
            created,
            updated,
            "\(updated)/past_due",
            "\(updated)/recovered",
            ends: .active
        ),
        stripe(created, "=\(updated)/cancel", deleted, "invoice.payment_failed", ends: .expired),
        stripe(created, "\(updated)/past_due", "\(updated)/unpaid", "=\(deleted)/payment_failed", ends: .expired),
        stripe("\(created)/incomplete", "\(updated)/incomplete_expired", "=\(updated)/incomplete", ends: .expired),
        stripe(
            created,
            "\(updated)/price",
            "\(updated)/pending_update",
            "customer.subscription.pending_update_expired",
            ends: .active
        ),
        stripe(
            created,
            "customer.subscription.paused",
            "customer.subscription.resumed",
            "=invoice.paid/subscription_cycle",
            ends: .active
        ),
        // https://github.com/laravel/cashier-stripe/issues/1759: with the same date, and even with a later one.
        stripe("\(created)/active", "=\(updated)/incomplete", ends: .active),
        stripe("\(created)/active", "\(updated)/incomplete", ends: .active),
        // What ended does not come back, whatever else carries the same second.
        stripe(created, deleted, "=\(updated)", ends: .expired),
        // An open invoice can be paid after the subscription has ended; it opens nothing.
        stripe(created, "=invoice.paid/subscription_cycle", deleted, ends: .expired),
        stripe(
            "checkout.session.completed/unpaid",
            "checkout.session.async_payment_succeeded",
            "charge.refunded/partial",
            "charge.refunded",
            "charge.dispute.funds_reinstated",
            of: .nonConsumable,
            ends: .owned
        ),
    ].flatMap(\.self)
    private static let created = "customer.subscription.created"
    private static let updated = "customer.subscription.updated"
    private static let deleted = "customer.subscription.deleted"

    @Test(arguments: ofGoogle + ofStripe) func everyOrderEndsInTheSameState(_ given: Case) throws {
        let scenario = try TableScenario(
            given.provider,
            sells: given.sold,
            shape: given.shape,
            catalog: TruthLedger.catalog
        )
        for words in given.words {
            let name = words.drop { $0 == "=" }
            try scenario.deliver(StoreStatement(String(name), after: name == words ? .seconds(60) : .zero))
        }
        let expected = try final(scenario.events, at: scenario.now)
        let last = scenario.events.last?.observation?.contract.lineage
        #expect(expected?.held.first { $0.contract == last }?.state == given.state)
        let orders = scenario.events.permutations
        for (number, order) in orders.enumerated() where GeneratedCases.take(number, oneOf: max(1, orders.count / 12)) {
            #expect(try final(order + order.reversed(), at: scenario.now) == expected, "\(order.map(\.id))")
        }
    }

    private func final(_ events: [Event], at now: Instant) throws -> TruthLedger.Final? {
        let buyer = TableScenario.buyer
        let order = Order(token: TableScenario.token, user: buyer, product: TableScenario.product(.subscription))
        let contents = [.order(order)] + events.map { HistoryStep.Content.event($0) }
        let arrivals = contents.map { (at: now, delivery: HistoryStep(name: "", at: now, content: $0)) }
        return try TruthLedger(policy: .transfer).run(arrivals, of: [buyer], until: now)[buyer]
    }
}
