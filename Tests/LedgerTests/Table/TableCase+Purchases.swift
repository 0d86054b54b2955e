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
            TableCase(
                27,
                at: .stripe,
                says: "checkout.session.async_payment_succeeded",
                after: ["checkout.session.completed/unpaid"],
                of: .nonConsumable,
                is: .purchaseCompleted,
                state: .owned,
                until: .none,
                shows: .granted
            ),
        ]

    private static func bought(_ provider: Provider, says statement: StoreStatement, season: End = .day(40))
        -> [TableCase]
    {
        [
            TableCase(
                27,
                at: provider,
                says: statement,
                of: .nonConsumable,
                is: .purchaseCompleted,
                state: .owned,
                until: .none,
                shows: .granted
            ),
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
}
