public import Crypto
public import Domain

/// A notification that the simulated store is asked to send.
public struct SimulatedNotification: Sendable {
    public var type: String
    public var subtype: String?
    public var subscription: SimulatedSubscription
    /// `appAccountToken`; nil for a purchase that no order announced.
    public var token: OrderToken?
    public var bundleID: String
    public var appID: Int64 = 1_234_567_890
    public var environment: StoreEnvironment = .sandbox
    public var now: Instant
    /// `notificationUUID`: pass the same one again to simulate a retry.
    public var id = OrderToken.random().description

    public init(
        type: String,
        subtype: String? = nil,
        subscription: SimulatedSubscription,
        token: OrderToken?,
        bundleID: String,
        now: Instant
    ) {
        self.type = type
        self.subtype = subtype
        self.subscription = subscription
        self.token = token
        self.bundleID = bundleID
        self.now = now
    }
}

/// Builds App Store Server Notifications in Apple's wire format, signed by a development authority. It does no I/O.
public struct SimulatedAppStore: Sendable {
    /// The app of the simulated notifications, unless another one is named.
    public static let bundleID = "com.example.paycast"

    private let signer: AppStoreSigner

    public init(signer: AppStoreSigner) {
        self.signer = signer
    }

    /// The body to post to `/webhooks/apple`.
    public func body(_ notification: SimulatedNotification) throws(CryptoError) -> [UInt8] {
        var document = NotificationDocument(
            notificationType: notification.type,
            subtype: notification.subtype,
            notificationUUID: notification.id,
            signedDate: notification.now.milliseconds
        )
        switch (notification.type, notification.subtype) {
        case ("RENEWAL_EXTENSION", "SUMMARY"): document.summary = notification.summary
        case ("EXTERNAL_PURCHASE_TOKEN", _): document.externalPurchaseToken = notification.purchaseToken
        case ("RESCIND_CONSENT", _): document.appData = try appData(notification)
        case ("TEST", _): document.data = notification.data
        default: document.data = try data(notification)
        }
        return AppStoreJSON.encode(PostDocument(signedPayload: try signer.sign(document)))
    }

    /// The JWS that an app holds after a purchase, and may post to `/transactions/apple`.
    public func transaction(_ notification: SimulatedNotification) throws(CryptoError) -> String {
        try signer.sign(notification.transaction(model(notification)))
    }

    /// The renewal info that an app holds beside it.
    public func renewal(_ notification: SimulatedNotification) throws(CryptoError) -> String {
        try signer.sign(notification.renewal(model(notification)))
    }

    private func model(_ notification: SimulatedNotification) -> AppStorePurchaseModel {
        var facts = notification.subscription
        if notification.type == "ONE_TIME_CHARGE", facts.kind == .subscription { facts.kind = .nonConsumable }
        var model = AppStorePurchaseModel(facts, now: notification.now)
        model.apply(notification.type, subtype: notification.subtype)
        return model
    }

    private func data(_ notification: SimulatedNotification) throws(CryptoError) -> DataDocument {
        let model = model(notification)
        var data = notification.data
        data.consumptionRequestReason = model.consumptionRequestReason
        data.signedTransactionInfo = try signer.sign(notification.transaction(model))
        guard model.product.kind == .subscription else { return data }
        data.status = model.status
        data.signedRenewalInfo = try signer.sign(notification.renewal(model))
        return data
    }

    private func appData(_ notification: SimulatedNotification) throws(CryptoError) -> AppDataDocument {
        let download = AppTransactionDocument(
            receiptType: notification.environment.rawValue,
            appAppleId: notification.appID,
            bundleId: notification.bundleID,
            receiptCreationDate: notification.now.milliseconds,
            originalPurchaseDate: (notification.now - .days(30)).milliseconds,
            appTransactionId: notification.download
        )
        return AppDataDocument(
            appAppleId: notification.appID,
            bundleId: notification.bundleID,
            environment: notification.environment.rawValue,
            signedAppTransactionInfo: try signer.sign(download)
        )
    }
}

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
