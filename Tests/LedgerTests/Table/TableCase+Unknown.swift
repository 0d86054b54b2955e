import Domain

/// Row 42: names of tomorrow. What they carry beside the name counts.
extension TableCase {
    static let unknownRows = [
        TableCase(
            42,
            .apple,
            Said(
                "SOMETHING_NEW",
                bends: [
                    "data.status": "4", "renewal.gracePeriodExpiresDate": TableScene.milliseconds(day: 46),
                ]
            ),
            after: [subscribed],
            is: .providerUnknown,
            .inGracePeriod,
            until: .day(46),
            .both("warn_billing")
        ),
        TableCase(
            42,
            .google,
            Said("99", bends: ["purchase.subscriptionState": "\"SUBSCRIPTION_STATE_CANCELED\""]),
            after: ["4"],
            is: .providerUnknown,
            .cancelled,
            until: .day(30),
            .ending
        ),
        TableCase(
            42,
            .stripe,
            Said("customer.subscription.something_new", bends: ["data.object.cancel_at_period_end": "true"]),
            after: [created],
            is: .providerUnknown,
            .cancelled,
            until: .day(30),
            .ending
        ),
        // RevenueCat's events carry no state but in their names.
        TableCase(
            42,
            .revenuecat,
            "SOMETHING_NEW",
            after: [initial],
            is: .providerUnknown,
            nil,
            isOpen: true,
            until: .none
        ),
        TableCase(
            42,
            .purchasekit,
            Said("subscription.something_new", bends: ["status": "\"canceled\""]),
            after: ["subscription.created"],
            is: .providerUnknown,
            .cancelled,
            until: .day(30),
            .ending
        ),
    ]
}
