import Domain

/// Rows 14 and 15: a payment fails, with access and without.
extension TableCase {
    static let billingRows = [
        grace(.apple, "DID_FAIL_TO_RENEW/GRACE_PERIOD", after: subscribed, until: .inDays(16)),
        grace(.google, "6", after: "4", until: .inDays(7)),
        grace(.stripe, "customer.subscription.updated/past_due", after: created, until: .day(60)),
        // An invoice tells of a payment, the subscription of what follows.
        TableCase(
            14,
            .stripe,
            .late("invoice.payment_failed"),
            after: [created],
            is: .graceStarted,
            .active,
            until: .day(30)
        ),
        grace(.revenuecat, "BILLING_ISSUE/GRACE", after: initial, until: .inDays(16)),
        retry(.apple, .late("DID_FAIL_TO_RENEW"), after: [subscribed]),
        retry(
            .apple,
            Said("GRACE_PERIOD_EXPIRED", after: .seconds(86_400)),
            after: [subscribed, .late("DID_FAIL_TO_RENEW/GRACE_PERIOD")]
        ),
        retry(.google, .late("5"), after: ["4"]),
        retry(.stripe, .late("customer.subscription.updated/unpaid"), after: [created]),
        retry(.revenuecat, .late("BILLING_ISSUE"), after: [initial]),
    ]

    private static func grace(_ provider: Provider, _ words: String, after first: Said, until end: End) -> TableCase {
        TableCase(
            14,
            provider,
            .late(words),
            after: [first],
            is: .graceStarted,
            .inGracePeriod,
            until: end,
            .both("warn_billing")
        )
    }

    private static func retry(_ provider: Provider, _ said: Said, after before: [Said]) -> TableCase {
        TableCase(
            15,
            provider,
            said,
            after: before,
            is: .billingRetry,
            .inBillingRetry,
            until: .over,
            .both("fix_billing")
        )
    }
}
