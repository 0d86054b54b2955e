import Domain

extension StripeMappingTests {
    static let success: Set = ["paywall=success", "subscription_status=manage"]
    static func both(_ name: String) -> Set<String> { ["paywall=\(name)", "subscription_status=\(name)"] }
    static let bought = "customer.subscription.created"
    static let updated = "customer.subscription.updated"
    static let paid = "checkout.session.completed"

    static let beginnings = [
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

    static let lives = [
        Row(
            "6: cycle paid",
            "invoice.paid/subscription_cycle",
            after: [bought],
            is: .subscriptionRenewed,
            .active,
            ["paywall=manage", "subscription_status=manage"]
        ),
        Row(
            "6: next period",
            updated,
            after: [bought],
            is: .subscriptionRenewed,
            .active,
            ["paywall=manage", "subscription_status=manage"]
        ),
        Row(
            "6: trial becomes paid",
            "\(updated)/renewed",
            after: ["\(bought)/trialing"],
            is: .subscriptionRenewed,
            .active,
            ["paywall=manage", "subscription_status=manage"]
        ),
        Row(
            "7: past due, then paid",
            "\(updated)/recovered",
            after: [bought, "\(updated)/past_due"],
            is: .subscriptionRecovered,
            .active,
            ["paywall=manage", "subscription_status=manage"]
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
            ["paywall=ending", "subscription_status=ending"],
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
            ["paywall=manage", "subscription_status=manage"]
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
            ["paywall=ending", "subscription_status=ending"]
        ),
        Row(
            "12: renewal on",
            "\(updated)/keep",
            after: [bought, "\(updated)/cancel"],
            is: .autoRenewOn,
            .active,
            ["paywall=manage", "subscription_status=manage"]
        ),
        Row("13: discount", "\(updated)/discount", after: [bought], is: .offerApplied, .active),
    ]

    static let troubles = [
        Row("14: invoice fails", "invoice.payment_failed", after: [bought], is: .graceStarted, .active),
        Row(
            "14: past due",
            "\(updated)/past_due",
            after: [bought],
            is: .graceStarted,
            .inGracePeriod,
            ["paywall=warn_billing", "subscription_status=warn_billing"]
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
            ["paywall=manage", "subscription_status=manage"]
        ),
    ]
}
