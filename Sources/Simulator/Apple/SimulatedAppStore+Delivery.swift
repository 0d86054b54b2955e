public import Crypto
public import Domain

extension SimulatedAppStore: SimulatedStore {
    public static let provider = Provider.apple

    /// https://developer.apple.com/documentation/appstoreservernotifications/notificationtype
    public static let types = [
        "CONSUMPTION_REQUEST", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS", "DID_FAIL_TO_RENEW",
        "DID_RENEW", "EXPIRED", "EXTERNAL_PURCHASE_TOKEN", "GRACE_PERIOD_EXPIRED", "METADATA_UPDATE", "MIGRATION",
        "OFFER_REDEEMED", "ONE_TIME_CHARGE", "PRICE_CHANGE", "PRICE_INCREASE", "REFUND", "REFUND_DECLINED",
        "REFUND_REVERSED", "RENEWAL_EXTENDED", "RENEWAL_EXTENSION", "RESCIND_CONSENT", "REVOKE", "SUBSCRIBED", "TEST",
    ]

    public func delivery(_ event: SimulatedEvent) throws(CryptoError) -> SimulatedDelivery {
        let notification = SimulatedNotification(event)
        let body = try body(notification)
        var delivery = SimulatedDelivery(path: "/webhooks/apple", headers: [], body: body, event: notification.id)
        delivery.history = [
            SimulatedAppStore.historyDocument(for: body, event: notification.id, isLost: event.isLost)
        ]
        return delivery
    }

    /// Input for the stand-in so that the store's history contains a webhook: see `SimulatedDelivery.history`.
    public static func historyDocument(
        for body: [UInt8],
        event id: String,
        isLost: Bool = false
    ) -> (path: String, json: [UInt8]) {
        ("/notifications/\(id)" + (isLost ? "?lost=true" : ""), body)
    }
}

extension SimulatedNotification {
    init(_ event: SimulatedEvent) {
        self.init(
            type: event.type,
            subtype: event.subtype,
            subscription: event.facts,
            token: event.token,
            bundleID: event.app ?? SimulatedAppStore.bundleID,
            now: event.now
        )
        environment = event.environment
        if let id = event.id { self.id = id }
    }
}
