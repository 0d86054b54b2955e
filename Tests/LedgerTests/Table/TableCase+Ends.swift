import Domain

/// Rows 16 to 19: a subscription ends. The word beside the event is the store's own for why.
extension TableCase {
    static let endRows = [
        ended(16, .apple, .late("EXPIRED/VOLUNTARY"), after: [subscribed, disabled], word: "VOLUNTARY"),
        ended(16, .google, .late("13"), after: ["4", "3"], word: "voluntary"),
        ended(
            16,
            .stripe,
            .late("customer.subscription.deleted"),
            after: [created, "\(updated)/cancel"],
            word: "cancellation_requested"
        ),
        ended(
            16,
            .revenuecat,
            .late(
                "EXPIRATION/UNSUBSCRIBE",
                bends: ["event.expiration_at_ms": TableScene.milliseconds(day: 30)]
            ),
            after: [initial, unsubscribed],
            word: "UNSUBSCRIBE"
        ),
        ended(
            17,
            .apple,
            .late("EXPIRED/BILLING_RETRY"),
            after: [subscribed, .late("DID_FAIL_TO_RENEW")],
            word: "BILLING_RETRY"
        ),
        ended(17, .google, .late("13/billing"), after: ["4", .late("5")], word: "billing"),
        ended(
            17,
            .stripe,
            .late("customer.subscription.deleted/payment_failed"),
            after: [created, .late("\(updated)/unpaid")],
            word: "payment_failed"
        ),
        ended(
            17,
            .stripe,
            .late("\(updated)/canceled"),
            after: [created, .late("\(updated)/unpaid")],
            word: "payment_failed"
        ),
        ended(
            17,
            .revenuecat,
            .late("EXPIRATION/BILLING_ERROR"),
            after: [initial, .late("BILLING_ISSUE")],
            word: "BILLING_ERROR"
        ),
        ended(18, .apple, .late("EXPIRED/PRICE_INCREASE"), after: [subscribed], word: "PRICE_INCREASE"),
        ended(18, .google, .late("13/price"), after: ["4"], word: "price"),
        ended(18, .revenuecat, .late("EXPIRATION/PRICE_INCREASE"), after: [initial], word: "PRICE_INCREASE"),
        ended(19, .apple, .late("EXPIRED/PRODUCT_NOT_FOR_SALE"), after: [subscribed], word: "PRODUCT_NOT_FOR_SALE"),
        ended(19, .apple, .late("EXPIRED"), after: [subscribed], word: nil),
        ended(19, .google, .late("13/other"), after: ["4"], word: "other"),
        ended(
            19,
            .stripe,
            .late("customer.subscription.deleted/canceled_by_retention_policy"),
            after: [created],
            word: "canceled_by_retention_policy"
        ),
        ended(19, .revenuecat, .late("EXPIRATION/UNKNOWN"), after: [initial], word: "UNKNOWN"),
    ]

    private static func ended(
        _ row: Int,
        _ provider: Provider,
        _ said: Said,
        after before: [Said],
        word: String?
    ) -> TableCase {
        TableCase(
            row,
            provider,
            said,
            after: before,
            is: .subscriptionExpired,
            word: word,
            .expired,
            until: .over,
            .both("paywall")
        )
    }
}
