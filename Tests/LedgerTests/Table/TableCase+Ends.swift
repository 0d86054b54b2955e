import Domain

/// Rows 16 to 19: a subscription ends. `word` is the store's own reason.
extension TableCase {
    static let endRows = [
        ended(16, at: .apple, says: .late("EXPIRED/VOLUNTARY"), after: [subscribed, disabled], word: "VOLUNTARY"),
        ended(16, at: .google, says: .late("13"), after: ["4", "3"], word: "voluntary"),
        ended(
            16,
            at: .stripe,
            says: .late("customer.subscription.deleted"),
            after: [created, "\(updated)/cancel"],
            word: "cancellation_requested"
        ),
        ended(
            16,
            at: .revenuecat,
            says: .late(
                "EXPIRATION/UNSUBSCRIBE",
                edits: ["event.expiration_at_ms": TableScenario.milliseconds(day: 30)]
            ),
            after: [initial, unsubscribed],
            word: "UNSUBSCRIBE"
        ),
        ended(
            17,
            at: .apple,
            says: .late("EXPIRED/BILLING_RETRY"),
            after: [subscribed, .late("DID_FAIL_TO_RENEW")],
            word: "BILLING_RETRY"
        ),
        ended(17, at: .google, says: .late("13/billing"), after: ["4", .late("5")], word: "billing"),
        ended(
            17,
            at: .stripe,
            says: .late("customer.subscription.deleted/payment_failed"),
            after: [created, .late("\(updated)/unpaid")],
            word: "payment_failed"
        ),
        ended(
            17,
            at: .stripe,
            says: .late("\(updated)/canceled"),
            after: [created, .late("\(updated)/unpaid")],
            word: "payment_failed"
        ),
        ended(
            17,
            at: .revenuecat,
            says: .late("EXPIRATION/BILLING_ERROR"),
            after: [initial, .late("BILLING_ISSUE")],
            word: "BILLING_ERROR"
        ),
        ended(18, at: .apple, says: .late("EXPIRED/PRICE_INCREASE"), after: [subscribed], word: "PRICE_INCREASE"),
        ended(18, at: .google, says: .late("13/price"), after: ["4"], word: "price"),
        ended(18, at: .revenuecat, says: .late("EXPIRATION/PRICE_INCREASE"), after: [initial], word: "PRICE_INCREASE"),
        ended(
            19,
            at: .apple,
            says: .late("EXPIRED/PRODUCT_NOT_FOR_SALE"),
            after: [subscribed],
            word: "PRODUCT_NOT_FOR_SALE"
        ),
        ended(19, at: .apple, says: .late("EXPIRED"), after: [subscribed], word: nil),
        ended(19, at: .google, says: .late("13/other"), after: ["4"], word: "other"),
        ended(
            19,
            at: .stripe,
            says: .late("customer.subscription.deleted/canceled_by_retention_policy"),
            after: [created],
            word: "canceled_by_retention_policy"
        ),
        ended(19, at: .revenuecat, says: .late("EXPIRATION/UNKNOWN"), after: [initial], word: "UNKNOWN"),
    ]

    private static func ended(
        _ row: Int,
        at provider: Provider,
        says statement: StoreStatement,
        after before: [StoreStatement],
        word: String?
    ) -> TableCase {
        TableCase(
            row,
            at: provider,
            says: statement,
            after: before,
            is: .subscriptionExpired,
            word: word,
            state: .expired,
            until: .over,
            shows: .both("paywall")
        )
    }
}
