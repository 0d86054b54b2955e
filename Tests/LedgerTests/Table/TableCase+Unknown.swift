import Domain

/// Row 42: names of tomorrow. What they carry beside the name counts.
extension TableCase {
    static let unknownRows = [
        TableCase(
            42,
            at: .apple,
            says: StoreStatement(
                "SOMETHING_NEW",
                edits: [
                    "data.status": "4", "renewal.gracePeriodExpiresDate": TableScenario.milliseconds(day: 46),
                ]
            ),
            after: [subscribed],
            is: .providerUnknown,
            state: .inGracePeriod,
            until: .day(46),
            shows: .both("warn_billing")
        ),
        TableCase(
            42,
            at: .google,
            says: StoreStatement("99", edits: ["purchase.subscriptionState": "\"SUBSCRIPTION_STATE_CANCELED\""]),
            after: ["4"],
            is: .providerUnknown,
            state: .cancelled,
            until: .day(30),
            shows: .ending
        ),
        TableCase(
            42,
            at: .stripe,
            says: StoreStatement(
                "customer.subscription.something_new",
                edits: ["data.object.cancel_at_period_end": "true"]
            ),
            after: [created],
            is: .providerUnknown,
            state: .cancelled,
            until: .day(30),
            shows: .ending
        ),
        TableCase(
            42,
            at: .purchasekit,
            says: StoreStatement("subscription.something_new", edits: ["status": "\"canceled\""]),
            after: ["subscription.created"],
            is: .providerUnknown,
            state: .cancelled,
            until: .day(30),
            shows: .ending
        ),
    ]
}
