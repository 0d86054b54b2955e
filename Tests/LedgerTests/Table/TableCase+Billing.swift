import Domain

/// Rows 14 and 15: a payment fails, with access and without.
extension TableCase {
    static let billingRows = [
        grace(.apple, says: .late("DID_FAIL_TO_RENEW/GRACE_PERIOD"), after: subscribed, until: .inDays(16)),
        grace(.google, says: .late("6"), after: "4", until: .inDays(7)),
        grace(.stripe, says: .late("customer.subscription.updated/past_due"), after: created, until: .day(60)),
        // An invoice reports the payment; the subscription's own event reports what follows.
        TableCase(
            14,
            at: .stripe,
            says: .late("invoice.payment_failed"),
            after: [created],
            is: .graceStarted,
            state: .active,
            until: .day(30)
        ),
        grace(.revenuecat, says: .late("BILLING_ISSUE/GRACE"), after: initial, until: .inDays(16)),
        // Before the paid period ends.
        grace(
            .revenuecat,
            says: StoreStatement(
                "BILLING_ISSUE",
                edits: ["event.expiration_at_ms": TableScenario.milliseconds(day: 30)]
            ),
            after: initial,
            until: .day(30)
        ),
        retry(.apple, says: .late("DID_FAIL_TO_RENEW"), after: [subscribed]),
        retry(
            .apple,
            says: StoreStatement("GRACE_PERIOD_EXPIRED", after: .seconds(86_400)),
            after: [subscribed, .late("DID_FAIL_TO_RENEW/GRACE_PERIOD")]
        ),
        retry(.google, says: .late("5"), after: ["4"]),
        retry(.stripe, says: .late("customer.subscription.updated/unpaid"), after: [created]),
        retry(.revenuecat, says: .late("BILLING_ISSUE"), after: [initial]),
        retry(.revenuecat, says: .late("CANCELLATION/BILLING_ERROR"), after: [initial]),
    ]

    private static func grace(
        _ provider: Provider,
        says statement: StoreStatement,
        after first: StoreStatement,
        until end: End
    ) -> TableCase {
        TableCase(
            14,
            at: provider,
            says: statement,
            after: [first],
            is: .graceStarted,
            state: .inGracePeriod,
            until: end,
            shows: .both("warn_billing")
        )
    }

    private static func retry(_ provider: Provider, says statement: StoreStatement, after before: [StoreStatement])
        -> TableCase
    {
        TableCase(
            15,
            at: provider,
            says: statement,
            after: before,
            is: .billingRetry,
            state: .inBillingRetry,
            until: .over,
            shows: .both("fix_billing")
        )
    }
}
