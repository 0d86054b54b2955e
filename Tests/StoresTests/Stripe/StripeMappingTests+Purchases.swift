import Domain

/// What is bought once, what is taken back, and what is none of our business.
extension StripeMappingTests {
    static let purchases = [
        Row(
            "27: bought once",
            event: paid,
            of: .nonConsumable,
            is: .purchaseCompleted,
            state: .owned,
            fragments: success
        ),
        Row(
            "27: consumable",
            event: paid,
            of: .consumable,
            is: .purchaseCompleted,
            state: .delivered,
            fragments: []
        ),
        Row(
            "27: non-renewing",
            event: paid,
            of: .nonRenewing,
            is: .purchaseCompleted,
            state: .active,
            fragments: success
        ),
        Row(
            "27: delayed payment arrives",
            event: "checkout.session.async_payment_succeeded",
            after: ["\(paid)/unpaid"],
            of: .nonConsumable,
            is: .purchaseCompleted,
            state: .owned,
            fragments: success
        ),
        Row(
            "27: payment intent",
            event: "payment_intent.succeeded",
            of: .nonConsumable,
            is: .purchaseCompleted,
            state: .owned,
            fragments: success
        ),
        Row(
            "28: dispute",
            event: "charge.dispute.created",
            after: [paid],
            of: .nonConsumable,
            is: .refundRequested,
            state: nil
        ),
        Row(
            "29: refunded",
            event: "charge.refunded",
            after: [paid],
            of: .nonConsumable,
            is: .refundCompleted,
            state: .revoked,
            fragments: both("revoked"),
            product: "paycast.lifetime"
        ),
        Row(
            "29: dispute lost",
            event: "charge.dispute.closed/lost",
            after: [paid, "charge.dispute.created"],
            of: .nonConsumable,
            is: .refundCompleted,
            state: .revoked,
            fragments: both("revoked"),
            product: "paycast.lifetime"
        ),
        Row(
            "29: subscription ended by a dispute",
            event: "customer.subscription.deleted/payment_disputed",
            after: [bought],
            is: .subscriptionExpired,
            state: .revoked,
            fragments: both("revoked")
        ),
        Row(
            "30: partly refunded",
            event: "charge.refunded/partial",
            after: [paid],
            of: .nonConsumable,
            is: .refundCompleted,
            state: .owned
        ),
        Row(
            "31: dispute won",
            event: "charge.dispute.closed/won",
            after: [paid],
            of: .nonConsumable,
            is: .refundDeclined,
            state: nil
        ),
        Row(
            "32: funds reinstated",
            event: "charge.dispute.funds_reinstated",
            after: [paid, "charge.dispute.closed/lost"],
            of: .nonConsumable,
            is: .refundReversed,
            state: .owned,
            fragments: success,
            product: "paycast.lifetime"
        ),
        Row(
            "42: unhandled type",
            event: "customer.tax_id.created",
            after: [bought],
            is: .providerUnknown,
            state: .active
        ),
        Row(
            "42: entitlements",
            event: "entitlements.active_entitlement_summary.updated",
            is: .providerUnknown,
            state: nil
        ),
        Row("42: session for a card", event: "\(paid)/setup", is: .contractUpdated, state: nil),
    ]
}
