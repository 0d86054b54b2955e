import Domain

/// Rows 1 to 5: how a subscription begins, waits for its payment, and comes back.
extension TableCase {
    static let created = Said("customer.subscription.created")
    static let updated = "customer.subscription.updated"

    static let startRows =
        [
            TableCase(
                1,
                .apple,
                "SUBSCRIBED/INITIAL_BUY",
                is: .subscriptionStarted,
                .active,
                until: .day(30),
                .granted
            ),
            TableCase(1, .google, "4", is: .subscriptionStarted, .active, until: .day(30), .granted),
            // A session does not say how long its subscription runs: a day, until the subscription itself is heard of.
            TableCase(
                1,
                .stripe,
                "checkout.session.completed",
                is: .subscriptionStarted,
                .active,
                until: .day(1),
                .granted
            ),
            TableCase(1, .stripe, created, is: .subscriptionStarted, .active, until: .day(30), .granted),
            TableCase(1, .revenuecat, "INITIAL_PURCHASE", is: .subscriptionStarted, .active, until: .day(30), .granted),
            TableCase(
                2,
                .apple,
                Said(
                    "SUBSCRIBED/INITIAL_BUY",
                    bends: [
                        "transaction.offerType": "1", "transaction.offerDiscountType": "\"FREE_TRIAL\"",
                        "transaction.price": "0", "transaction.expiresDate": TableScene.milliseconds(day: 7),
                    ]
                ),
                is: .subscriptionStarted,
                .active,
                until: .day(7),
                .granted
            ),
            TableCase(
                2,
                .google,
                "4/trial",
                is: .subscriptionStarted,
                word: "trial",
                .active,
                until: .day(7),
                .granted
            ),
            TableCase(
                2,
                .stripe,
                "customer.subscription.created/trialing",
                is: .subscriptionStarted,
                word: "trialing",
                .active,
                until: .day(7),
                .granted
            ),
            TableCase(
                2,
                .revenuecat,
                "INITIAL_PURCHASE/TRIAL",
                is: .subscriptionStarted,
                word: "TRIAL",
                .active,
                until: .day(30),
                .granted
            ),
        ] + waitingRows + returnRows

    private static let incomplete = Said("customer.subscription.created/incomplete")
    private static let waiting = Said("ONE_TIME_PRODUCT_PURCHASED/pending")

    private static let waitingRows = [
        // Nothing is paid, so nothing ends.
        TableCase(
            3,
            .google,
            Said("4/pending", bends: ["purchase.lineItems.0.expiryTime": "null"]),
            is: .purchasePending,
            .pending,
            until: .none,
            .both("pending")
        ),
        TableCase(
            3,
            .google,
            waiting,
            of: .nonConsumable,
            is: .purchasePending,
            .pending,
            until: .none,
            .both("pending")
        ),
        TableCase(3, .stripe, incomplete, is: .purchasePending, .pending, until: .none, .both("pending")),
        TableCase(
            3,
            .stripe,
            "checkout.session.completed/unpaid",
            of: .nonConsumable,
            is: .purchasePending,
            .pending,
            until: .none,
            .both("pending")
        ),
        TableCase(
            4,
            .google,
            "20",
            after: ["4/pending"],
            is: .purchasePendingCancelled,
            .expired,
            until: .none,
            .both("paywall")
        ),
        TableCase(
            4,
            .google,
            "ONE_TIME_PRODUCT_CANCELED",
            after: [waiting],
            of: .nonConsumable,
            is: .purchasePendingCancelled,
            .expired,
            until: .none,
            .both("paywall")
        ),
        // Whoever leaves a session sees the paywall already.
        TableCase(4, .stripe, "checkout.session.expired", is: .purchasePendingCancelled, nil, until: .none),
        TableCase(
            4,
            .stripe,
            "checkout.session.async_payment_failed",
            after: ["checkout.session.completed/unpaid"],
            of: .nonConsumable,
            is: .purchasePendingCancelled,
            .expired,
            until: .none,
            .both("paywall")
        ),
        TableCase(
            4,
            .stripe,
            "customer.subscription.updated/incomplete_expired",
            after: [incomplete],
            is: .purchasePendingCancelled,
            .expired,
            until: .none,
            .both("paywall")
        ),
    ]
}
