import Domain

/// Row 27: one-time purchases.
extension TableCase {
    static let purchaseRows =
        bought(.apple, says: "ONE_TIME_CHARGE") + bought(.google, says: "ONE_TIME_PRODUCT_PURCHASED")
        + bought(.stripe, says: "checkout.session.completed")
        // RevenueCat says when a non-renewing purchase ends; for other stores the catalog does.
        + bought(.revenuecat, says: "NON_RENEWING_PURCHASE", season: .day(30)) + [
            TableCase(
                27,
                at: .apple,
                says: StoreStatement("ONE_TIME_CHARGE", edits: ["transaction.quantity": "3"]),
                of: .consumable,
                is: .purchaseCompleted,
                state: .delivered,
                until: .none,
                shows: ["purchase=purchase"]
            ),
            owned(.google, says: "ONE_TIME_PRODUCT_PURCHASED", after: ["ONE_TIME_PRODUCT_PURCHASED/pending"]),
            owned(
                .stripe,
                says: "checkout.session.async_payment_succeeded",
                after: ["checkout.session.completed/unpaid"]
            ),
            owned(.stripe, says: "payment_intent.succeeded"),
        ]

    private static func bought(_ provider: Provider, says statement: StoreStatement, season: End = .day(40))
        -> [TableCase]
    {
        [
            owned(provider, says: statement),
            TableCase(
                27,
                at: provider,
                says: statement,
                of: .nonRenewing,
                is: .purchaseCompleted,
                state: .active,
                until: season,
                shows: .granted
            ),
            TableCase(
                27,
                at: provider,
                says: statement,
                of: .consumable,
                is: .purchaseCompleted,
                state: .delivered,
                until: .none,
                shows: ["purchase=purchase"]
            ),
        ]
    }

    private static func owned(
        _ provider: Provider,
        says statement: StoreStatement,
        after before: [StoreStatement] = []
    ) -> TableCase {
        TableCase(
            27,
            at: provider,
            says: statement,
            after: before,
            of: .nonConsumable,
            is: .purchaseCompleted,
            state: .owned,
            until: .none,
            shows: .granted
        )
    }
}
