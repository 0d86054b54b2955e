import Domain
import TestSupport
import Testing

/// RevenueCat promises no order: whatever it is, the state is that of the events in the order in which they happened. Here is
/// what random histories do not say: events of one instant, of an earlier period, and what is known before its lineage.
@Suite struct RevenueCatConvergenceTests {
    struct Scenario: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var events: [RevenueCatSpecimen]
        var state: ContractState
        var product = "pro.monthly"
        /// When the page is looked at.
        var now: Instant
    }

    private static let start = RevenueCatSpecimen.start
    private static let month = RevenueCatSpecimen.month
    private static let ended = RevenueCatSpecimen("EXPIRATION", after: late)
    private static let unpaid = RevenueCatSpecimen(
        "CANCELLATION",
        after: late,
        changes: ["cancel_reason": "BILLING_ERROR"]
    )
    private static let issue = RevenueCatSpecimen("BILLING_ISSUE", after: late)
    private static let change = RevenueCatSpecimen(
        "PRODUCT_CHANGE",
        after: day,
        changes: ["new_product_id": "pro.annual"]
    )

    private static let unsubscribed: [String: JSON] = ["cancel_reason": "UNSUBSCRIBE"]

    private static func atStripe(_ specimen: RevenueCatSpecimen) -> RevenueCatSpecimen {
        specimen.with("store", to: "STRIPE")
    }

    /// Bought in the middle of the first period, for a shorter time or a longer one.
    private static func upgrade(after: Duration, until: Instant) -> RevenueCatSpecimen {
        RevenueCatSpecimen("RENEWAL", after: after, changes: ["product_id": "pro.annual", "transaction_id": "t9"])
            .with("purchased_at_ms", to: .number(String((start + day - .seconds(9)).milliseconds)))
            .with("expiration_at_ms", to: .number(String(until.milliseconds)))
    }

    private static let scenarios = [
        Scenario(
            testDescription: "BILLING_ISSUE, CANCELLATION and EXPIRATION at one instant",
            events: [bought, issue, unpaid, ended],
            state: .expired,
            now: start + month * 2
        ),
        Scenario(
            testDescription: "the end of the old period is told after the new one has begun",
            events: [
                bought, RevenueCatSpecimen("RENEWAL", period: 1),
                RevenueCatSpecimen("EXPIRATION", after: month + day),
            ],
            state: .active,
            now: start + month + day * 2
        ),
        Scenario(
            testDescription: "a provisional grant, then the purchase, which was made before it",
            events: [
                RevenueCatSpecimen("TEMPORARY_ENTITLEMENT_GRANT", after: .seconds(30)),
                RevenueCatSpecimen("INITIAL_PURCHASE", after: .seconds(90)),
            ],
            state: .active,
            now: start + day * 3
        ),
        Scenario(
            testDescription: "a provisional grant that came to nothing",
            events: [
                RevenueCatSpecimen("TEMPORARY_ENTITLEMENT_GRANT", after: .seconds(30))
                    .with("original_transaction_id", to: nil),
                RevenueCatSpecimen("EXPIRATION", after: .seconds(90)).with("original_transaction_id", to: nil),
            ],
            state: .expired,
            now: start + .seconds(100)
        ),
        Scenario(
            testDescription: "an upgrade to a longer period, announced at the same time",
            events: [bought, change, upgrade(after: day, until: start + month * 12)],
            state: .active,
            product: "pro.annual",
            now: start + day * 2
        ),
        Scenario(
            testDescription: "an upgrade to a shorter period, announced after it",
            events: [bought, change, upgrade(after: day - .seconds(2), until: start + day * 8)],
            state: .active,
            product: "pro.annual",
            now: start + day * 2
        ),
        Scenario(
            testDescription: "another plan at Stripe, whose RENEWAL repeats the first purchase's date",
            events: [
                atStripe(bought), atStripe(RevenueCatSpecimen("CANCELLATION", after: day, changes: unsubscribed)),
                atStripe(RevenueCatSpecimen("UNCANCELLATION", after: day * 2)),
                atStripe(RevenueCatSpecimen("PRODUCT_CHANGE", after: day * 3 + .seconds(1))),
                atStripe(RevenueCatSpecimen("RENEWAL", after: day * 3)).with("product_id", to: "pro.annual"),
            ],
            state: .active,
            product: "pro.annual",
            now: start + day * 4
        ),
        Scenario(
            testDescription: "and back, in the same period",
            events: [
                atStripe(bought),
                atStripe(RevenueCatSpecimen("RENEWAL", after: .seconds(90))).with("product_id", to: "x"),
                atStripe(RevenueCatSpecimen("PRODUCT_CHANGE", after: day)).with("product_id", to: "x"),
                atStripe(RevenueCatSpecimen("RENEWAL", after: day)),
            ],
            state: .active,
            now: start + day * 4
        ),
        Scenario(
            testDescription: "cancelled, then extended: it still does not renew",
            events: [
                bought, RevenueCatSpecimen("CANCELLATION", after: day, changes: unsubscribed),
                RevenueCatSpecimen("SUBSCRIPTION_EXTENDED", after: day * 2).extended,
            ],
            state: .cancelled,
            now: start + month + day
        ),
        Scenario(
            testDescription: "cancelled and refunded, and the refund reversed: it still does not renew",
            events: [
                bought, RevenueCatSpecimen("CANCELLATION", after: day, changes: unsubscribed),
                RevenueCatSpecimen("CANCELLATION", after: day * 2, changes: ["cancel_reason": "CUSTOMER_SUPPORT"]),
                RevenueCatSpecimen("REFUND_REVERSED", after: day * 3),
            ],
            state: .cancelled,
            now: start + day * 4
        ),
    ]

    @Test(arguments: scenarios)
    func everyOrderEndsInTheSameState(_ scenario: Scenario) throws {
        let events = try scenario.events.map { try $0.verify() }
        for order in permutations(Array(events.indices)) {
            var timeline = ContractTimeline()
            for index in order + order.prefix(2) { timeline.take(events[index], at: scenario.now) }
            let status = try #require(timeline.status(at: scenario.now))
            #expect(status.state == scenario.state, "\(order)")
            #expect(status.product == scenario.product, "\(order)")
            if status.isActive { #expect(status.autoRenew == (scenario.state != .cancelled), "\(order)") }
        }
    }

    /// The store knew the transaction alone when RevenueCat granted access, and its lineage when it refused the purchase.
    @Test func grantEndsWithTheLineageThatItsTransactionTurnsOutToBeOf() throws {
        let grant = RevenueCatSpecimen("TEMPORARY_ENTITLEMENT_GRANT", period: 1, after: .seconds(30))
            .with("original_transaction_id", to: nil)
        let end = RevenueCatSpecimen("EXPIRATION", period: 1, after: .seconds(90))
        let events = try [grant.verify(), end.verify()]
        for order in permutations([0, 1]) {
            var timeline = ContractTimeline()
            for index in order { timeline.take(events[index], at: end.happenedAt) }
            #expect(!timeline.entitlements(at: end.happenedAt).isActive, "\(order)")
        }
        var timeline = ContractTimeline()
        timeline.take(events[0], at: grant.happenedAt)
        #expect(timeline.entitlements(at: grant.happenedAt).isActive)
    }
}
