import Domain

/// Row 41, PurchaseKit: four events, which mean rows 1, 5, 6, 8, 11, 12 and 16 to 19.
extension TableCase {
    private static let started = StoreStatement("subscription.created")
    private static let canceled = StoreStatement("subscription.canceled")

    static let purchaseKitRows = [
        kit(started, is: .subscriptionStarted, state: .active, until: .day(30), shows: .granted),
        kit(
            StoreStatement("subscription.created", after: TableScenario.month),
            after: [started, .late("subscription.expired")],
            is: .subscriptionResubscribed,
            state: .active,
            until: .inDays(30),
            shows: .granted
        ),
        kit(
            .late("subscription.updated"),
            after: [started],
            is: .subscriptionRenewed,
            state: .active,
            until: .inDays(30),
            shows: .manage
        ),
        kit(
            StoreStatement("subscription.updated", edits: ["store_product_id": "\"paycast.pro.annual\""]),
            after: [started],
            is: .planChanged,
            state: .active,
            product: "paycast.pro.annual",
            until: .day(60),
            shows: .granted
        ),
        // Its events carry no date: undoing a cancellation shows when the next period begins.
        kit(
            "subscription.updated",
            after: [started, canceled],
            is: .subscriptionRenewed,
            state: .active,
            until: .day(60),
            shows: .manage
        ),
        kit(canceled, after: [started], is: .autoRenewOff, state: .cancelled, until: .day(30), shows: .ending),
        kit(
            StoreStatement("subscription.updated", edits: ["status": "\"canceled\""]),
            after: [started],
            is: .autoRenewOff,
            state: .cancelled,
            until: .day(60),
            shows: .ending
        ),
        kit(
            .late("subscription.expired"),
            after: [started, canceled],
            is: .subscriptionExpired,
            state: .expired,
            until: .over,
            shows: .both("paywall")
        ),
    ]

    private static func kit(
        _ statement: StoreStatement,
        after before: [StoreStatement] = [],
        is kind: EventKind,
        state: ContractState,
        product: String? = nil,
        until end: End,
        shows fragments: [String]
    ) -> TableCase {
        TableCase(
            41,
            at: .purchasekit,
            says: statement,
            after: before,
            is: kind,
            state: state,
            product: product,
            until: end,
            shows: fragments
        )
    }
}
