import Domain

/// Row 41, PurchaseKit: four events, which mean rows 1, 5, 6, 8, 11, 12 and 16 to 19.
extension TableCase {
    private static let started = Said("subscription.created")
    private static let canceled = Said("subscription.canceled")

    static let purchaseKitRows = [
        kit(started, is: .subscriptionStarted, .active, until: .day(30), .granted),
        kit(
            Said("subscription.created", after: TableScene.month),
            after: [started, .late("subscription.expired")],
            is: .subscriptionResubscribed,
            .active,
            until: .inDays(30),
            .granted
        ),
        kit(
            .late("subscription.updated"),
            after: [started],
            is: .subscriptionRenewed,
            .active,
            until: .inDays(30),
            .manage
        ),
        kit(
            Said("subscription.updated", bends: ["store_product_id": "\"paycast.pro.annual\""]),
            after: [started],
            is: .planChanged,
            .active,
            until: .day(60),
            .granted
        ),
        // Its events carry no date: a cancellation that is taken back shows when the next period begins.
        kit(
            "subscription.updated",
            after: [started, canceled],
            is: .subscriptionRenewed,
            .active,
            until: .day(60),
            .manage
        ),
        kit(canceled, after: [started], is: .autoRenewOff, .cancelled, until: .day(30), .ending),
        kit(
            .late("subscription.expired"),
            after: [started, canceled],
            is: .subscriptionExpired,
            .expired,
            until: .over,
            .both("paywall")
        ),
    ]

    private static func kit(
        _ said: Said,
        after before: [Said] = [],
        is kind: EventKind,
        _ state: ContractState,
        until end: End,
        _ fragments: [String]
    ) -> TableCase {
        TableCase(41, .purchasekit, said, after: before, is: kind, state, until: end, fragments)
    }
}
