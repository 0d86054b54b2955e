import Domain

/// Row 27: what is bought once.
extension TableCase {
    static let purchaseRows =
        bought(.apple, "ONE_TIME_CHARGE") + bought(.google, "ONE_TIME_PRODUCT_PURCHASED")
        + bought(.stripe, "checkout.session.completed")
        // RevenueCat says when something for a time ends; elsewhere the catalogue does.
        + bought(.revenuecat, "NON_RENEWING_PURCHASE", season: .day(30)) + [
            TableCase(
                27,
                .apple,
                Said("ONE_TIME_CHARGE", bends: ["transaction.quantity": "3"]),
                of: .consumable,
                is: .purchaseCompleted,
                .delivered,
                until: .none,
                ["paywall=success"]
            ),
            TableCase(
                27,
                .stripe,
                "checkout.session.async_payment_succeeded",
                after: ["checkout.session.completed/unpaid"],
                of: .nonConsumable,
                is: .purchaseCompleted,
                .owned,
                until: .none,
                .granted
            ),
        ]

    private static func bought(_ provider: Provider, _ said: Said, season: End = .day(40)) -> [TableCase] {
        [
            TableCase(27, provider, said, of: .nonConsumable, is: .purchaseCompleted, .owned, until: .none, .granted),
            TableCase(27, provider, said, of: .nonRenewing, is: .purchaseCompleted, .active, until: season, .granted),
            TableCase(
                27,
                provider,
                said,
                of: .consumable,
                is: .purchaseCompleted,
                .delivered,
                until: .none,
                ["paywall=success"]
            ),
        ]
    }
}
