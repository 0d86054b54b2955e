import Domain

/// Rows 11 and 12: renewal is switched off, and on again.
extension TableCase {
    static let disabled = StoreStatement("DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED")
    static let unsubscribed = StoreStatement("CANCELLATION/UNSUBSCRIBE")

    static let autoRenewRows = [
        off(.apple, says: disabled, after: subscribed),
        off(.google, says: "3", after: "4"),
        off(.google, says: "18", after: "4"),
        off(.stripe, says: "customer.subscription.updated/cancel", after: created),
        off(.revenuecat, says: unsubscribed, after: initial),
        on(.apple, says: "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", after: [subscribed, disabled]),
        on(.google, says: "7", after: ["4", "3"]),
        on(
            .stripe,
            says: "customer.subscription.updated/keep",
            after: [created, "customer.subscription.updated/cancel"]
        ),
        on(.revenuecat, says: "UNCANCELLATION", after: [initial, unsubscribed]),
    ]

    private static func off(_ provider: Provider, says statement: StoreStatement, after first: StoreStatement)
        -> TableCase
    {
        TableCase(
            11,
            at: provider,
            says: statement,
            after: [first],
            is: .autoRenewOff,
            state: .cancelled,
            until: .day(30),
            shows: .ending
        )
    }

    private static func on(_ provider: Provider, says statement: StoreStatement, after before: [StoreStatement])
        -> TableCase
    {
        TableCase(
            12,
            at: provider,
            says: statement,
            after: before,
            is: .autoRenewOn,
            state: .active,
            until: .day(30),
            shows: .manage
        )
    }
}
