import Domain

extension StripeMappingTests {
    static let success: Set = ["paywall=success", "subscription_status=manage"]
    static func both(_ name: String) -> Set<String> { ["paywall=\(name)", "subscription_status=\(name)"] }
    static let bought = "customer.subscription.created"
    static let updated = "customer.subscription.updated"
    static let paid = "checkout.session.completed"

    static let beginnings = [
        Row("1: paid session", event: paid, is: .subscriptionStarted, state: .active, fragments: success),
        Row(
            "1: free session",
            event: "\(paid)/no_payment_required",
            is: .subscriptionStarted,
            state: .active,
            fragments: success
        ),
        Row("1: new subscription", event: bought, is: .subscriptionStarted, state: .active, fragments: success),
        Row(
            "1: first payment arrives",
            event: "\(updated)/active",
            after: ["\(bought)/incomplete"],
            is: .subscriptionStarted,
            state: .active,
            fragments: success
        ),
        Row(
            "1: first invoice",
            event: "invoice.paid/subscription_create",
            is: .subscriptionStarted,
            state: .active,
            fragments: success
        ),
        Row("2: trial", event: "\(bought)/trialing", is: .subscriptionStarted, state: .active, fragments: success),
        Row(
            "3: first payment open",
            event: "\(bought)/incomplete",
            is: .purchasePending,
            state: .pending,
            fragments: both("pending")
        ),
        Row(
            "3: unpaid session",
            event: "\(paid)/unpaid",
            of: .nonConsumable,
            is: .purchasePending,
            state: .pending,
            fragments: both("pending")
        ),
        Row(
            "3: unpaid session of a subscription",
            event: "\(paid)/unpaid",
            is: .purchasePending,
            state: .pending,
            fragments: both("pending")
        ),
        Row("4: session abandoned", event: "checkout.session.expired", is: .purchasePendingCancelled, state: nil),
        Row(
            "4: delayed payment fails",
            event: "checkout.session.async_payment_failed",
            after: ["\(paid)/unpaid"],
            of: .nonConsumable,
            is: .purchasePendingCancelled,
            state: .expired,
            fragments: both("paywall")
        ),
        Row(
            "4: first payment never came",
            event: "\(updated)/incomplete_expired",
            after: ["\(bought)/incomplete"],
            is: .purchasePendingCancelled,
            state: .expired,
            fragments: both("paywall")
        ),
        // Stripe does not say that a customer had another subscription before: the label is row 1's.
        Row(
            "5: new subscription of the same customer",
            event: bought,
            is: .subscriptionStarted,
            state: .active,
            fragments: success
        ),
    ]

    static let changes = [
        Row(
            "6: cycle paid",
            event: "invoice.paid/subscription_cycle",
            after: [bought],
            is: .subscriptionRenewed,
            state: .active,
            fragments: ["paywall=manage", "subscription_status=manage"]
        ),
        Row(
            "6: next period",
            event: updated,
            after: [bought],
            is: .subscriptionRenewed,
            state: .active,
            fragments: ["paywall=manage", "subscription_status=manage"]
        ),
        Row(
            "6: trial becomes paid",
            event: "\(updated)/renewed",
            after: ["\(bought)/trialing"],
            is: .subscriptionRenewed,
            state: .active,
            fragments: ["paywall=manage", "subscription_status=manage"]
        ),
        Row(
            "7: past due, then paid",
            event: "\(updated)/recovered",
            after: [bought, "\(updated)/past_due"],
            is: .subscriptionRecovered,
            state: .active,
            fragments: ["paywall=manage", "subscription_status=manage"]
        ),
        Row(
            "7: unpaid, then paid",
            event: "\(updated)/recovered",
            after: [bought, "\(updated)/unpaid"],
            is: .subscriptionRecovered,
            state: .active,
            fragments: success
        ),
        Row(
            "8: another price",
            event: "\(updated)/price",
            after: [bought],
            is: .planChanged,
            state: .active,
            fragments: success,
            product: "paycast.pro.annual"
        ),
        Row(
            "8: pending update applied",
            event: "customer.subscription.pending_update_applied",
            after: [bought, "\(updated)/pending_update"],
            is: .planChanged,
            state: .active,
            fragments: success,
            product: "paycast.pro.annual"
        ),
        Row(
            "9: pending update",
            event: "\(updated)/pending_update",
            after: [bought],
            is: .planChangeScheduled,
            state: .active,
            fragments: ["paywall=ending", "subscription_status=ending"],
            product: "paycast.pro.monthly"
        ),
        Row(
            "9: schedule",
            event: "subscription_schedule.updated",
            after: [bought],
            is: .planChangeScheduled,
            state: .active
        ),
        Row(
            "9: schedule attached",
            event: "\(updated)/schedule",
            after: [bought],
            is: .planChangeScheduled,
            state: .active
        ),
        Row(
            "10: pending update expired",
            event: "customer.subscription.pending_update_expired",
            after: [bought, "\(updated)/pending_update"],
            is: .planChangeCancelled,
            state: .active,
            fragments: ["paywall=manage", "subscription_status=manage"]
        ),
        Row(
            "10: schedule released",
            event: "subscription_schedule.released",
            after: [bought],
            is: .planChangeCancelled,
            state: .active
        ),
        Row(
            "11: renewal off",
            event: "\(updated)/cancel",
            after: [bought],
            is: .autoRenewOff,
            state: .cancelled,
            fragments: ["paywall=ending", "subscription_status=ending"]
        ),
        Row(
            "12: renewal on",
            event: "\(updated)/keep",
            after: [bought, "\(updated)/cancel"],
            is: .autoRenewOn,
            state: .active,
            fragments: ["paywall=manage", "subscription_status=manage"]
        ),
        Row("13: discount", event: "\(updated)/discount", after: [bought], is: .offerApplied, state: .active),
    ]

    static let troubles = [
        Row("14: invoice fails", event: "invoice.payment_failed", after: [bought], is: .graceStarted, state: .active),
        Row(
            "14: past due",
            event: "\(updated)/past_due",
            after: [bought],
            is: .graceStarted,
            state: .inGracePeriod,
            fragments: ["paywall=warn_billing", "subscription_status=warn_billing"]
        ),
        Row(
            "15: unpaid",
            event: "\(updated)/unpaid",
            after: [bought, "\(updated)/past_due"],
            is: .billingRetry,
            state: .inBillingRetry,
            fragments: both("fix_billing")
        ),
        Row(
            "16: ended as requested",
            event: "customer.subscription.deleted",
            after: [bought, "\(updated)/cancel"],
            is: .subscriptionExpired,
            state: .expired,
            fragments: both("paywall")
        ),
        Row(
            "17: ended unpaid",
            event: "customer.subscription.deleted/payment_failed",
            after: [bought, "\(updated)/past_due"],
            is: .subscriptionExpired,
            state: .expired,
            fragments: both("paywall")
        ),
        Row(
            "17: canceled in an update",
            event: "\(updated)/canceled",
            after: [bought, "\(updated)/unpaid"],
            is: .subscriptionExpired,
            state: .expired,
            fragments: both("paywall")
        ),
        Row(
            "19: ended for another reason",
            event: "customer.subscription.deleted/canceled_by_retention_policy",
            after: [bought],
            is: .subscriptionExpired,
            state: .expired,
            fragments: both("paywall")
        ),
        Row(
            "21: paused",
            event: "customer.subscription.paused",
            after: [bought],
            is: .paused,
            state: .paused,
            fragments: both("paused")
        ),
        Row(
            "21: paused in an update",
            event: "\(updated)/paused",
            after: [bought],
            is: .paused,
            state: .paused,
            fragments: both("paused")
        ),
        Row(
            "22: resumed",
            event: "customer.subscription.resumed",
            after: [bought, "customer.subscription.paused"],
            is: .resumed,
            state: .active,
            fragments: success
        ),
        Row(
            "23: trial extended",
            event: "\(updated)/trial_end",
            after: [bought],
            is: .subscriptionExtended,
            state: .active,
            fragments: ["paywall=manage", "subscription_status=manage"]
        ),
    ]
}
