import Domain
import Providers
import Simulator
import Testing

/// The Stripe column of the table that maps every store's events to one model, row by row.
@Suite struct StripeMappingTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var kind: ProductKind
        /// What happened before.
        var past: [String]
        var event: String
        var normalized: EventKind
        /// Nil: it says nothing of a contract.
        var state: ContractState?
        var fragments: Set<String>
        var product: String?

        init(
            _ name: String,
            _ event: String,
            after past: [String] = [],
            of kind: ProductKind = .subscription,
            is normalized: EventKind,
            _ state: ContractState?,
            _ fragments: Set<String> = [],
            product: String? = nil
        ) {
            testDescription = name
            self.kind = kind
            self.past = past
            self.event = event
            self.normalized = normalized
            self.state = state
            self.fragments = fragments
            self.product = product
        }
    }

    private static let success: Set = ["paywall=success", "subscription_status=manage"]
    private static func both(_ name: String) -> Set<String> { ["paywall=\(name)", "subscription_status=\(name)"] }
    private static let bought = "customer.subscription.created"
    private static let updated = "customer.subscription.updated"
    private static let paid = "checkout.session.completed"

    private static let beginnings = [
        Row("1: paid session", paid, is: .subscriptionStarted, .active, success),
        Row("1: free session", "\(paid)/no_payment_required", is: .subscriptionStarted, .active, success),
        Row("1: new subscription", bought, is: .subscriptionStarted, .active, success),
        Row(
            "1: first payment arrives",
            "\(updated)/active",
            after: ["\(bought)/incomplete"],
            is: .subscriptionStarted,
            .active,
            success
        ),
        Row("1: first invoice", "invoice.paid/subscription_create", is: .subscriptionStarted, .active, success),
        Row("2: trial", "\(bought)/trialing", is: .subscriptionStarted, .active, success),
        Row("3: first payment open", "\(bought)/incomplete", is: .purchasePending, .pending, both("pending")),
        Row("3: unpaid session", "\(paid)/unpaid", of: .nonConsumable, is: .purchasePending, .pending, both("pending")),
        Row("3: unpaid session of a subscription", "\(paid)/unpaid", is: .purchasePending, .pending, both("pending")),
        Row("4: session abandoned", "checkout.session.expired", is: .purchasePendingCancelled, nil),
        Row(
            "4: delayed payment fails",
            "checkout.session.async_payment_failed",
            after: ["\(paid)/unpaid"],
            of: .nonConsumable,
            is: .purchasePendingCancelled,
            .expired,
            both("paywall")
        ),
        Row(
            "4: first payment never came",
            "\(updated)/incomplete_expired",
            after: ["\(bought)/incomplete"],
            is: .purchasePendingCancelled,
            .expired,
            both("paywall")
        ),
        // Stripe does not say that a customer had another subscription before: the label is row 1's.
        Row("5: new subscription of the same customer", bought, is: .subscriptionStarted, .active, success),
    ]

    private static let lives = [
        Row(
            "6: cycle paid",
            "invoice.paid/subscription_cycle",
            after: [bought],
            is: .subscriptionRenewed,
            .active,
            ["subscription_status=manage"]
        ),
        Row(
            "6: next period",
            updated,
            after: [bought],
            is: .subscriptionRenewed,
            .active,
            ["subscription_status=manage"]
        ),
        Row(
            "6: trial becomes paid",
            "\(updated)/renewed",
            after: ["\(bought)/trialing"],
            is: .subscriptionRenewed,
            .active,
            ["subscription_status=manage"]
        ),
        Row(
            "7: past due, then paid",
            "\(updated)/recovered",
            after: [bought, "\(updated)/past_due"],
            is: .subscriptionRecovered,
            .active,
            ["subscription_status=manage"]
        ),
        Row(
            "7: unpaid, then paid",
            "\(updated)/recovered",
            after: [bought, "\(updated)/unpaid"],
            is: .subscriptionRecovered,
            .active,
            success
        ),
        Row(
            "8: another price",
            "\(updated)/price",
            after: [bought],
            is: .planChanged,
            .active,
            success,
            product: "paycast.pro.annual"
        ),
        Row(
            "8: pending update applied",
            "customer.subscription.pending_update_applied",
            after: [bought, "\(updated)/pending_update"],
            is: .planChanged,
            .active,
            success,
            product: "paycast.pro.annual"
        ),
        Row(
            "9: pending update",
            "\(updated)/pending_update",
            after: [bought],
            is: .planChangeScheduled,
            .active,
            ["subscription_status=ending"],
            product: "paycast.pro.monthly"
        ),
        Row("9: schedule", "subscription_schedule.updated", after: [bought], is: .planChangeScheduled, .active),
        Row("9: schedule attached", "\(updated)/schedule", after: [bought], is: .planChangeScheduled, .active),
        Row(
            "10: pending update expired",
            "customer.subscription.pending_update_expired",
            after: [bought, "\(updated)/pending_update"],
            is: .planChangeCancelled,
            .active,
            ["subscription_status=manage"]
        ),
        Row(
            "10: schedule released",
            "subscription_schedule.released",
            after: [bought],
            is: .planChangeCancelled,
            .active
        ),
        Row(
            "11: renewal off",
            "\(updated)/cancel",
            after: [bought],
            is: .autoRenewOff,
            .cancelled,
            ["subscription_status=ending"]
        ),
        Row(
            "12: renewal on",
            "\(updated)/keep",
            after: [bought, "\(updated)/cancel"],
            is: .autoRenewOn,
            .active,
            ["subscription_status=manage"]
        ),
        Row("13: discount", "\(updated)/discount", after: [bought], is: .offerApplied, .active),
    ]

    private static let troubles = [
        Row("14: invoice fails", "invoice.payment_failed", after: [bought], is: .graceStarted, .active),
        Row(
            "14: past due",
            "\(updated)/past_due",
            after: [bought],
            is: .graceStarted,
            .inGracePeriod,
            ["subscription_status=warn_billing"]
        ),
        Row(
            "15: unpaid",
            "\(updated)/unpaid",
            after: [bought, "\(updated)/past_due"],
            is: .billingRetry,
            .inBillingRetry,
            both("fix_billing")
        ),
        Row(
            "16: ended as requested",
            "customer.subscription.deleted",
            after: [bought, "\(updated)/cancel"],
            is: .subscriptionExpired,
            .expired,
            both("paywall")
        ),
        Row(
            "17: ended unpaid",
            "customer.subscription.deleted/payment_failed",
            after: [bought, "\(updated)/past_due"],
            is: .subscriptionExpired,
            .expired,
            both("paywall")
        ),
        Row(
            "17: canceled in an update",
            "\(updated)/canceled",
            after: [bought, "\(updated)/unpaid"],
            is: .subscriptionExpired,
            .expired,
            both("paywall")
        ),
        Row(
            "19: ended for another reason",
            "customer.subscription.deleted/canceled_by_retention_policy",
            after: [bought],
            is: .subscriptionExpired,
            .expired,
            both("paywall")
        ),
        Row("21: paused", "customer.subscription.paused", after: [bought], is: .paused, .paused, both("paused")),
        Row("21: paused in an update", "\(updated)/paused", after: [bought], is: .paused, .paused, both("paused")),
        Row(
            "22: resumed",
            "customer.subscription.resumed",
            after: [bought, "customer.subscription.paused"],
            is: .resumed,
            .active,
            success
        ),
        Row(
            "23: trial extended",
            "\(updated)/trial_end",
            after: [bought],
            is: .subscriptionExtended,
            .active,
            ["subscription_status=manage"]
        ),
    ]

    private static let purchases = [
        Row("27: bought once", paid, of: .nonConsumable, is: .purchaseCompleted, .owned, success),
        Row("27: consumable", paid, of: .consumable, is: .purchaseCompleted, .delivered, ["paywall=success"]),
        Row("27: non-renewing", paid, of: .nonRenewing, is: .purchaseCompleted, .active, success),
        Row(
            "27: delayed payment arrives",
            "checkout.session.async_payment_succeeded",
            after: ["\(paid)/unpaid"],
            of: .nonConsumable,
            is: .purchaseCompleted,
            .owned,
            success
        ),
        Row(
            "27: payment intent",
            "payment_intent.succeeded",
            of: .nonConsumable,
            is: .purchaseCompleted,
            .owned,
            success
        ),
        Row("28: dispute", "charge.dispute.created", after: [paid], of: .nonConsumable, is: .refundRequested, nil),
        Row(
            "29: refunded",
            "charge.refunded",
            after: [paid],
            of: .nonConsumable,
            is: .refundCompleted,
            .revoked,
            both("revoked"),
            product: "paycast.lifetime"
        ),
        Row(
            "29: dispute lost",
            "charge.dispute.closed/lost",
            after: [paid, "charge.dispute.created"],
            of: .nonConsumable,
            is: .refundCompleted,
            .revoked,
            both("revoked"),
            product: "paycast.lifetime"
        ),
        Row(
            "29: subscription ended by a dispute",
            "customer.subscription.deleted/payment_disputed",
            after: [bought],
            is: .subscriptionExpired,
            .revoked,
            both("revoked")
        ),
        Row(
            "30: partly refunded",
            "charge.refunded/partial",
            after: [paid],
            of: .nonConsumable,
            is: .refundCompleted,
            .owned
        ),
        Row(
            "31: dispute won",
            "charge.dispute.closed/won",
            after: [paid],
            of: .nonConsumable,
            is: .refundDeclined,
            nil
        ),
        Row(
            "32: funds reinstated",
            "charge.dispute.funds_reinstated",
            after: [paid, "charge.dispute.closed/lost"],
            of: .nonConsumable,
            is: .refundReversed,
            .owned,
            success,
            product: "paycast.lifetime"
        ),
        Row("42: unhandled type", "customer.tax_id.created", after: [bought], is: .providerUnknown, .active),
        Row("42: entitlements", "entitlements.active_entitlement_summary.updated", is: .providerUnknown, nil),
        Row("42: session for a card", "\(paid)/setup", is: .contractUpdated, nil),
    ]

    @Test(arguments: beginnings + lives + troubles + purchases, SimulatedStripe.Shape.allCases)
    func means(_ row: Row, _ shape: SimulatedStripe.Shape) throws {
        let isSubscription = row.kind == .subscription
        var story = try StripeStory(
            SimulatedSubscription(
                product: isSubscription ? "paycast.pro.monthly" : "paycast.lifetime",
                kind: row.kind,
                lineage: isSubscription ? "sub_1" : "pi_1"
            ),
            shape: shape,
            catalog: Catalog(["paycast.lifetime": .init(kind: row.kind)])
        )
        for event in row.past { try story.say(event) }
        let step = try story.say(row.event)
        #expect(step.event.kind == row.normalized)
        #expect(step.state == row.state)
        #expect(Set(step.fragments) == row.fragments)
        if let product = row.product { #expect(step.product == product) }
    }

    /// Row 35. Only the label: who owns the contract follows from the order and the customer.
    @Test func customerChanged() throws {
        let event = try StripeSpecimen { document in
            document["type"] = "customer.subscription.updated"
            document["data"]?["previous_attributes"] = ["customer": "cus_0"]
        }.verify()
        #expect(event.kind == .contractTransferred)
        #expect(event.observation?.account == "cus_1")
    }
}
