import Domain

/// What is bought once, what is taken back, and what is none of our business.
extension StripeMappingTests {
    static let purchases = [
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
}
