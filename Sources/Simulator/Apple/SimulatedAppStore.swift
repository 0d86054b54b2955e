public import Crypto
public import Domain
import Encoding

/// Builds App Store Server Notifications in Apple's wire format, signed by a development authority. It does no I/O.
public struct SimulatedAppStore: Sendable {
    /// The app of the simulated notifications, unless another one is named.
    public static let bundleID = "com.example.paycast"

    private let signer: AppStoreSigner

    public init(signer: AppStoreSigner) {
        self.signer = signer
    }

    /// The body to post to `/webhooks/apple`.
    public func body(_ event: SimulatedEvent) throws(CryptoError) -> [UInt8] { try delivery(event).body }

    /// `id` is the `notificationUUID`.
    private func body(_ event: SimulatedEvent, id: String) throws(CryptoError) -> [UInt8] {
        var document: WireJSON = [
            "notificationType": .text(event.type), "notificationUUID": .text(id),
            "version": "2.0", "signedDate": .number(event.now.milliseconds),
            "subtype": event.subtype.map { .text($0) },
        ]
        switch (event.type, event.subtype) {
        case ("RENEWAL_EXTENSION", "SUMMARY"): document["summary"] = event.summary
        case ("EXTERNAL_PURCHASE_TOKEN", _): document["externalPurchaseToken"] = event.purchaseToken
        case ("RESCIND_CONSENT", _): document["appData"] = try appData(event)
        case ("TEST", _): document["data"] = event.data
        default: document["data"] = try data(event)
        }
        let post: WireJSON = ["signedPayload": .text(try signer.sign(document.bytes))]
        return post.bytes
    }

    /// The JWS that an app holds after a purchase, and may post to `/transactions/apple`.
    public func transaction(_ event: SimulatedEvent) throws(CryptoError) -> String {
        try signer.sign(event.transaction(model(event)).bytes)
    }

    /// The renewal info that an app holds beside it.
    public func renewal(_ event: SimulatedEvent) throws(CryptoError) -> String {
        try signer.sign(event.renewal(model(event)).bytes)
    }

    /// The order ID on the receipt of a transaction: `M`, and nine capital letters and digits.
    public static func orderID(of transaction: String) -> String {
        let number = UInt64(StoreID.make("order", transaction)) ?? 0
        let characters = String(number, radix: 36, uppercase: true)
        // With a digit at least, as Apple's have: by it the console knows one in small letters from a word.
        let zeroes = String(repeating: "0", count: max(0, 8 - characters.utf8.count))
        return "M\(number % 10)" + zeroes + characters.suffix(8)
    }

    private func model(_ event: SimulatedEvent) -> AppStorePurchaseModel {
        var facts = event.facts
        if event.type == "ONE_TIME_CHARGE", facts.kind == .subscription { facts.kind = .nonConsumable }
        var model = AppStorePurchaseModel(facts, now: event.now)
        model.apply(event.type, subtype: event.subtype)
        return model
    }

    private func data(_ event: SimulatedEvent) throws(CryptoError) -> WireJSON {
        let model = model(event)
        var data = event.data
        data["consumptionRequestReason"] = model.consumptionRequestReason.map { .text($0) }
        data["signedTransactionInfo"] = .text(try signer.sign(event.transaction(model).bytes))
        guard model.product.kind == .subscription else { return data }
        data["status"] = .number(Int64(model.status))
        data["signedRenewalInfo"] = .text(try signer.sign(event.renewal(model).bytes))
        return data
    }

    private func appData(_ event: SimulatedEvent) throws(CryptoError) -> WireJSON {
        [
            "appAppleId": .number(event.appID), "bundleId": .text(event.bundleID),
            "environment": .text(event.environment.rawValue),
            "signedAppTransactionInfo": .text(try signer.sign(event.appTransaction.bytes)),
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

    public static let steps: StepNames = [
        .initial: "SUBSCRIBED/INITIAL_BUY", .trial: "SUBSCRIBED/INITIAL_BUY", .renew: "DID_RENEW",
        .grace: "DID_FAIL_TO_RENEW/GRACE_PERIOD",
        .retry: "DID_FAIL_TO_RENEW", .recover: "DID_RENEW/BILLING_RECOVERY",
        .cancel: "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED",
        .resume: "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", .expire: "EXPIRED/VOLUNTARY", .refund: "REFUND",
        .reversed: "REFUND_REVERSED", .upgrade: "DID_CHANGE_RENEWAL_PREF/UPGRADE",
        .downgrade: "DID_CHANGE_RENEWAL_PREF/DOWNGRADE",
    ]

    public static let stepsOnce: StepNames = [
        .initial: "ONE_TIME_CHARGE", .refund: "REFUND", .reversed: "REFUND_REVERSED",
    ]

    public init(_ workspace: DevelopmentWorkspace) {
        self.init(signer: workspace.signer)
    }

    public func delivery(_ event: SimulatedEvent) throws(CryptoError) -> SimulatedDelivery {
        let id = event.id ?? OrderToken.random().description
        let body = try body(event, id: id)
        var delivery = try post(body, event: id, at: event.now)
        delivery.history = [SimulatedAppStore.historyDocument(for: body, event: id, isLost: event.isLost)]
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

/// The parts of Apple's documents.
extension SimulatedEvent {
    fileprivate var bundleID: String { app ?? SimulatedAppStore.bundleID }

    /// `appTransactionId`: one for each account's download of the app.
    fileprivate var download: String { StoreID.make(facts.lineage, "download") }

    fileprivate var data: WireJSON {
        [
            "appAppleId": .number(appID), "bundleId": .text(bundleID), "bundleVersion": "1",
            "environment": .text(environment.rawValue),
        ]
    }

    fileprivate var summary: WireJSON {
        [
            "environment": .text(environment.rawValue), "appAppleId": .number(appID), "bundleId": .text(bundleID),
            "productId": .text(facts.product), "requestIdentifier": .text(OrderToken.random().description),
            "storefrontCountryCodes": ["USA", "DEU", "JPN"], "succeededCount": 5, "failedCount": 2,
        ]
    }

    /// Only the prefix marks a Sandbox token.
    fileprivate var purchaseToken: WireJSON {
        let prefix = environment == .sandbox ? "SANDBOX_" : ""
        return [
            "externalPurchaseId": .text(prefix + OrderToken.random().description),
            "tokenCreationDate": .number(now.milliseconds), "appAppleId": .number(appID),
            "bundleId": .text(bundleID), "tokenType": "ACQUISITION",
        ]
    }

    /// What an account has of an app. Its receipt type is the environment.
    fileprivate var appTransaction: WireJSON {
        [
            "receiptType": .text(environment.rawValue), "appAppleId": .number(appID), "bundleId": .text(bundleID),
            "applicationVersion": "1", "originalApplicationVersion": "1",
            "receiptCreationDate": .number(now.milliseconds),
            "originalPurchaseDate": .number((now - .days(30)).milliseconds), "appTransactionId": .text(download),
            "originalPlatform": "iOS",
        ]
    }

    fileprivate func transaction(_ model: AppStorePurchaseModel) -> WireJSON {
        let isSubscription = model.product.kind == .subscription
        let period = String(model.period.milliseconds)
        let isRevoked = model.revocation != nil
        return [
            "transactionId": .text(isSubscription ? StoreID.make(model.lineage, period) : model.lineage),
            "originalTransactionId": .text(model.lineage), "appTransactionId": .text(download),
            "bundleId": .text(bundleID), "productId": .text(model.product.id),
            "purchaseDate": .number(model.purchasedAt.milliseconds),
            "originalPurchaseDate": .number(model.purchasedAt.milliseconds), "quantity": 1,
            "type": .text(model.product.appleType),
            "inAppOwnershipType": .text(model.isFamilyShared ? "FAMILY_SHARED" : "PURCHASED"),
            "signedDate": .number(now.milliseconds), "environment": .text(environment.rawValue),
            "transactionReason": .text(model.reason), "storefront": "USA", "storefrontId": "143441",
            "price": .number(model.isTrial ? 0 : model.product.price), "currency": .text(model.product.currency),
            "previousOriginalTransactionId": model.previousLineage.map { .text($0) },
            "appAccountToken": token.map { .text($0.description) },
            "webOrderLineItemId": isSubscription ? .text(StoreID.make(model.lineage, period, "line")) : nil,
            "subscriptionGroupIdentifier": isSubscription ? model.product.group.map { .text($0) } : nil,
            "expiresDate": isSubscription ? .number(model.expiresAt.milliseconds) : nil,
            "revocationDate": model.revocation.map { .number($0.date.milliseconds) },
            "revocationReason": isRevoked ? 0 : nil, "revocationType": model.revocation.map { .text($0.type) },
            "revocationPercentage": isRevoked ? 100_000 : nil, "offerType": model.isTrial ? 1 : model.isOffer ? 2 : nil,
            "offerIdentifier": model.isOffer ? "paycast.welcome.back" : nil,
            "offerDiscountType": model.isTrial ? "FREE_TRIAL" : model.isOffer ? "PAY_AS_YOU_GO" : nil,
            "offerPeriod": model.isTrial ? "P1W" : nil,
        ]
    }

    fileprivate func renewal(_ model: AppStorePurchaseModel) -> WireJSON {
        let next = SimulatedProduct(id: model.nextProduct, kind: .subscription)
        return [
            "originalTransactionId": .text(model.lineage), "productId": .text(model.product.id),
            "autoRenewProductId": .text(model.nextProduct), "autoRenewStatus": model.autoRenews ? 1 : 0,
            "renewalPrice": .number(next.price), "currency": .text(model.product.currency),
            "renewalDate": .number(model.expiresAt.milliseconds),
            "recentSubscriptionStartDate": .number(model.purchasedAt.milliseconds),
            "appTransactionId": .text(download), "signedDate": .number(now.milliseconds),
            "environment": .text(environment.rawValue),
            "expirationIntent": model.expirationIntent.map { .number(Int64($0)) },
            "isInBillingRetryPeriod": model.isInBillingRetry.map { .flag($0) },
            "gracePeriodExpiresDate": model.graceUntil.map { .number($0.milliseconds) },
            "priceIncreaseStatus": model.priceIncreaseStatus.map { .number(Int64($0)) },
            "appAccountToken": token.map { .text($0.description) },
        ]
    }
}

/// Signs documents as Apple does: ES256, with the three certificates in the header.
public struct AppStoreSigner: Sendable {
    private let header: [UInt8]
    private let key: PrivateKey

    /// `chain` is leaf, intermediate and root in DER; `key` is the leaf's.
    public init(chain: [[UInt8]], key: PrivateKey) {
        let certificates = chain.map { "\"\(Base64.encode($0))\"" }.joined(separator: ",")
        header = Array(#"{"alg":"ES256","x5c":[\#(certificates)]}"#.utf8)
        self.key = key
    }

    /// A compact JWS over `payload`.
    public func sign(_ payload: [UInt8]) throws(CryptoError) -> String {
        let signed = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        return signed + "." + Base64URL.encode(try key.signature(for: Array(signed.utf8)))
    }
}
