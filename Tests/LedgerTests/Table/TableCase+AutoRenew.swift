import Domain

/// Rows 11 and 12: renewal is switched off, and on again.
extension TableCase {
    static let disabled = Said("DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED")
    static let unsubscribed = Said("CANCELLATION/UNSUBSCRIBE")

    static let autoRenewRows = [
        off(.apple, disabled, after: subscribed),
        off(.google, "3", after: "4"),
        off(.google, "18", after: "4"),
        off(.stripe, "customer.subscription.updated/cancel", after: created),
        off(.revenuecat, unsubscribed, after: initial),
        on(.apple, "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", after: [subscribed, disabled]),
        on(.google, "7", after: ["4", "3"]),
        on(
            .stripe,
            "customer.subscription.updated/keep",
            after: [created, "customer.subscription.updated/cancel"]
        ),
        on(.revenuecat, "UNCANCELLATION", after: [initial, unsubscribed]),
    ]

    private static func off(_ provider: Provider, _ said: Said, after first: Said) -> TableCase {
        TableCase(11, provider, said, after: [first], is: .autoRenewOff, .cancelled, until: .day(30), .ending)
    }

    private static func on(_ provider: Provider, _ said: Said, after before: [Said]) -> TableCase {
        TableCase(12, provider, said, after: before, is: .autoRenewOn, .active, until: .day(30), .manage)
    }
}
