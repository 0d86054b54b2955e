import Domain

/// What is bought once, what is taken back, and what says nothing of a purchase.
extension GoogleMappingTests {
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
            "27: payment arrives",
            event: paid,
            after: ["\(paid)/pending"],
            of: .nonConsumable,
            is: .purchaseCompleted,
            state: .owned,
            fragments: success
        ),
        Row(
            "28: chargeback under review",
            event: "PENDING_REFUND_REVIEW",
            after: [bought],
            is: .refundRequested,
            state: nil
        ),
        Row(
            "29: void of what was bought once",
            event: "VOIDED_PURCHASE",
            after: [paid],
            of: .nonConsumable,
            is: .refundCompleted,
            word: "current",
            state: .revoked,
            fragments: both("revoked")
        ),
        Row(
            "30: a part of what was bought once",
            event: "VOIDED_PURCHASE/partial",
            after: [paid],
            of: .nonConsumable,
            is: .refundCompleted,
            word: "partial",
            state: .owned
        ),
        Row("40: test", event: "TEST", is: .providerTest, state: nil),
    ]

    static let ending: Set = ["paywall=ending", "subscription_status=ending"]
}
