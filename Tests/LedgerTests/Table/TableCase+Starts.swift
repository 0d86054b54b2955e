import Domain

/// Rows 1 and 3 to 5: how a subscription begins, waits for its payment, and comes back.
extension TableCase {
    static let created = StoreStatement("customer.subscription.created")
    static let updated = "customer.subscription.updated"

    static let startRows =
        [
            started(.apple, says: "SUBSCRIBED/INITIAL_BUY", until: .day(30)),
            started(.google, says: "4", until: .day(30)),
            // A session does not say how long its subscription runs: it gives a day, until the subscription's own event
            // comes.
            started(.stripe, says: "checkout.session.completed", until: .day(1)),
            started(.stripe, says: "checkout.session.completed/no_payment_required", until: .day(1)),
            started(.stripe, says: created, after: ["checkout.session.completed"], until: .inDays(30), shows: .manage),
            started(.stripe, says: created, until: .day(30)),
            started(.stripe, says: "\(updated)/active", after: [incomplete], until: .inDays(30)),
            started(.stripe, says: "invoice.paid/subscription_create", until: .day(30)),
            started(.revenuecat, says: "INITIAL_PURCHASE", until: .day(30)),
        ] + waitingRows + returnRows

    private static let incomplete = StoreStatement("customer.subscription.created/incomplete")
    private static let waiting = StoreStatement("ONE_TIME_PRODUCT_PURCHASED/pending")

    private static let waitingRows = [
        // Nothing was paid, so nothing ends.
        pending(.google, says: StoreStatement("4/pending", edits: ["purchase.lineItems.0.expiryTime": "null"])),
        pending(.google, says: "4/pending", until: .day(30)),
        pending(.google, says: waiting, of: .nonConsumable),
        pending(.stripe, says: incomplete),
        pending(.stripe, says: "checkout.session.completed/unpaid"),
        pending(.stripe, says: "checkout.session.completed/unpaid", of: .nonConsumable),
        dropped(.google, says: "20", after: ["4/pending"]),
        // Of a change of plan: the old purchase is still the valid one, and the page shows it.
        TableCase(
            4,
            at: .google,
            says: "20",
            after: ["4", "4/pending_upgrade"],
            is: .purchasePendingCancelled,
            state: .expired,
            product: "paycast.pro.annual",
            isOpen: true,
            until: .none
        ),
        dropped(.google, says: "ONE_TIME_PRODUCT_CANCELED", after: [waiting], of: .nonConsumable),
        // A buyer who leaves a session already sees the paywall.
        TableCase(
            4,
            at: .stripe,
            says: "checkout.session.expired",
            is: .purchasePendingCancelled,
            state: nil,
            until: .none
        ),
        dropped(
            .stripe,
            says: "checkout.session.async_payment_failed",
            after: ["checkout.session.completed/unpaid"],
            of: .nonConsumable
        ),
        dropped(.stripe, says: "customer.subscription.updated/incomplete_expired", after: [incomplete]),
    ]

    private static func started(
        _ provider: Provider,
        says statement: StoreStatement,
        after before: [StoreStatement] = [],
        until end: End,
        shows fragments: [String] = .granted
    ) -> TableCase {
        TableCase(
            1,
            at: provider,
            says: statement,
            after: before,
            is: .subscriptionStarted,
            state: .active,
            until: end,
            shows: fragments
        )
    }

    private static func pending(
        _ provider: Provider,
        says statement: StoreStatement,
        of sold: ProductKind = .subscription,
        until end: End = .none
    ) -> TableCase {
        TableCase(
            3,
            at: provider,
            says: statement,
            of: sold,
            is: .purchasePending,
            state: .pending,
            until: end,
            shows: .both("pending")
        )
    }

    private static func dropped(
        _ provider: Provider,
        says statement: StoreStatement,
        after before: [StoreStatement],
        of sold: ProductKind = .subscription
    ) -> TableCase {
        TableCase(
            4,
            at: provider,
            says: statement,
            after: before,
            of: sold,
            is: .purchasePendingCancelled,
            state: .expired,
            until: .none,
            shows: .both("paywall")
        )
    }
}
