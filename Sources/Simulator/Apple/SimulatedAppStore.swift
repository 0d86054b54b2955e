public import Crypto
public import Domain
internal import Encoding

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
        var document: WireJSON = [
            "notificationType": .text(notification.type), "notificationUUID": .text(notification.id),
            "version": "2.0", "signedDate": .number(notification.now.milliseconds),
        ]
        document["subtype"] = notification.subtype.map { .text($0) }
        switch (notification.type, notification.subtype) {
        case ("RENEWAL_EXTENSION", "SUMMARY"): document["summary"] = notification.summary
        case ("EXTERNAL_PURCHASE_TOKEN", _): document["externalPurchaseToken"] = notification.purchaseToken
        case ("RESCIND_CONSENT", _): document["appData"] = try appData(notification)
        case ("TEST", _): document["data"] = notification.data
        default: document["data"] = try data(notification)
        }
        let post: WireJSON = ["signedPayload": .text(try signer.sign(document.bytes))]
        return post.bytes
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

    private func data(_ notification: SimulatedNotification) throws(CryptoError) -> WireJSON {
        let model = model(notification)
        var data = notification.data
        data["consumptionRequestReason"] = model.consumptionRequestReason.map { .text($0) }
        data["signedTransactionInfo"] = .text(try signer.sign(notification.transaction(model)))
        guard model.product.kind == .subscription else { return data }
        data["status"] = .number(Int64(model.status))
        data["signedRenewalInfo"] = .text(try signer.sign(notification.renewal(model)))
        return data
    }

    private func appData(_ notification: SimulatedNotification) throws(CryptoError) -> WireJSON {
        [
            "appAppleId": .number(notification.appID), "bundleId": .text(notification.bundleID),
            "environment": .text(notification.environment.rawValue),
            "signedAppTransactionInfo": .text(try signer.sign(notification.appTransaction.bytes)),
        ]
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

extension SimulatedNotification {
    /// `appTransactionId`: one for each account's download of the app.
    var download: String { StoreID.make(subscription.lineage, "download") }

    var data: WireJSON {
        [
            "appAppleId": .number(appID), "bundleId": .text(bundleID), "bundleVersion": "1",
            "environment": .text(environment.rawValue),
        ]
    }

    var summary: WireJSON {
        [
            "environment": .text(environment.rawValue), "appAppleId": .number(appID), "bundleId": .text(bundleID),
            "productId": .text(subscription.product), "requestIdentifier": .text(OrderToken.random().description),
            "storefrontCountryCodes": ["USA", "DEU", "JPN"], "succeededCount": 5, "failedCount": 2,
        ]
    }

    /// Only the prefix marks a Sandbox token.
    var purchaseToken: WireJSON {
        let prefix = environment == .sandbox ? "SANDBOX_" : ""
        return [
            "externalPurchaseId": .text(prefix + OrderToken.random().description),
            "tokenCreationDate": .number(now.milliseconds), "appAppleId": .number(appID),
            "bundleId": .text(bundleID), "tokenType": "ACQUISITION",
        ]
    }

    /// What an account has of an app. Its receipt type is the environment.
    var appTransaction: WireJSON {
        [
            "receiptType": .text(environment.rawValue), "appAppleId": .number(appID), "bundleId": .text(bundleID),
            "applicationVersion": "1", "originalApplicationVersion": "1",
            "receiptCreationDate": .number(now.milliseconds),
            "originalPurchaseDate": .number((now - .days(30)).milliseconds), "appTransactionId": .text(download),
            "originalPlatform": "iOS",
        ]
    }

    func transaction(_ model: AppStorePurchaseModel) -> TransactionDocument {
        let isSubscription = model.product.kind == .subscription
        var document = TransactionDocument(
            transactionId: isSubscription
                ? StoreID.make(model.lineage, String(model.period.milliseconds)) : model.lineage,
            originalTransactionId: model.lineage,
            appTransactionId: download,
            bundleId: bundleID,
            productId: model.product.id,
            purchaseDate: model.purchasedAt.milliseconds,
            originalPurchaseDate: model.purchasedAt.milliseconds,
            type: model.product.appleType,
            inAppOwnershipType: model.isFamilyShared ? "FAMILY_SHARED" : "PURCHASED",
            signedDate: now.milliseconds,
            environment: environment.rawValue,
            transactionReason: model.reason,
            price: model.product.price,
            currency: model.product.currency
        )
        document.previousOriginalTransactionId = model.previousLineage
        document.appAccountToken = token?.description
        if isSubscription {
            document.webOrderLineItemId = StoreID.make(model.lineage, String(model.period.milliseconds), "line")
            document.subscriptionGroupIdentifier = model.product.group
            document.expiresDate = model.expiresAt.milliseconds
        }
        if let revocation = model.revocation {
            document.revocationDate = revocation.date.milliseconds
            document.revocationReason = 0
            document.revocationType = revocation.type
            document.revocationPercentage = 100_000
        }
        if model.isOffer {
            document.offerType = 2
            document.offerIdentifier = "paycast.welcome.back"
            document.offerDiscountType = "PAY_AS_YOU_GO"
        }
        return document
    }

    func renewal(_ model: AppStorePurchaseModel) -> RenewalDocument {
        RenewalDocument(
            originalTransactionId: model.lineage,
            productId: model.product.id,
            autoRenewProductId: model.nextProduct,
            autoRenewStatus: model.autoRenews ? 1 : 0,
            expirationIntent: model.expirationIntent,
            isInBillingRetryPeriod: model.isInBillingRetry,
            gracePeriodExpiresDate: model.graceUntil?.milliseconds,
            priceIncreaseStatus: model.priceIncreaseStatus,
            renewalPrice: SimulatedProduct(id: model.nextProduct, kind: .subscription).price,
            currency: model.product.currency,
            renewalDate: model.expiresAt.milliseconds,
            recentSubscriptionStartDate: model.purchasedAt.milliseconds,
            appAccountToken: token?.description,
            appTransactionId: download,
            signedDate: now.milliseconds,
            environment: environment.rawValue
        )
    }
}

/// The documents of Apple that the stand-in reads again, member for member as they are sent
/// (https://developer.apple.com/documentation/appstoreservernotifications). Dates are in milliseconds, prices in
/// thousandths.
public struct TransactionDocument: Codable, Sendable {
    public var transactionId: String
    public var originalTransactionId: String
    public var previousOriginalTransactionId: String?
    public var webOrderLineItemId: String?
    public var appTransactionId: String
    public var bundleId: String
    public var productId: String
    public var subscriptionGroupIdentifier: String?
    public var purchaseDate: Int64
    public var originalPurchaseDate: Int64
    public var expiresDate: Int64?
    public var quantity = 1
    public var type: String
    public var appAccountToken: String?
    public var inAppOwnershipType: String
    public var signedDate: Int64
    public var environment: String
    public var transactionReason: String
    public var storefront = "USA"
    public var storefrontId = "143441"
    public var price: Int64
    public var currency: String
    public var revocationDate: Int64?
    public var revocationReason: Int?
    public var revocationType: String?
    public var revocationPercentage: Int?
    public var offerType: Int?
    public var offerIdentifier: String?
    public var offerDiscountType: String?
}

public struct RenewalDocument: Codable, Sendable {
    public var originalTransactionId: String
    public var productId: String
    public var autoRenewProductId: String
    public var autoRenewStatus: Int
    public var expirationIntent: Int?
    public var isInBillingRetryPeriod: Bool?
    public var gracePeriodExpiresDate: Int64?
    public var priceIncreaseStatus: Int?
    public var renewalPrice: Int64
    public var currency: String
    public var renewalDate: Int64
    public var recentSubscriptionStartDate: Int64
    public var appAccountToken: String?
    public var appTransactionId: String
    public var signedDate: Int64
    public var environment: String
}
