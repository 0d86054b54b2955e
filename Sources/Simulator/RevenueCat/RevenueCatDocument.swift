internal import Domain

/// The `event` member, member for member as it is sent. Dates are in milliseconds.
struct RevenueCatDocument: Encodable {
    struct Attribute: Encodable {
        var value: String
        var updatedAtMs: Int64
    }

    var id: String
    var type: String
    var eventTimestampMs: Int64
    var appId: String?
    var appUserId: String?
    var originalAppUserId: String?
    var aliases: [String]?
    var subscriberAttributes: [String: Attribute]?
    var environment: String
    var store = "APP_STORE"
    var productId: String?
    var newProductId: String?
    var entitlementIds: [String]?
    var periodType: String?
    var purchasedAtMs: Int64?
    var expirationAtMs: Int64?
    var gracePeriodExpirationAtMs: Int64?
    var cancelReason: String?
    var expirationReason: String?
    var transactionId: String?
    var originalTransactionId: String?
    var isFamilyShare: Bool?
    var priceInPurchasedCurrency: Double?
    var currency: String?
    var transferredFrom: [String]?
    var transferredTo: [String]?

    init(_ event: SimulatedEvent) {
        id = event.id ?? OrderToken.random().description
        type = event.type
        eventTimestampMs = event.now.milliseconds
        appId = event.app ?? "app1a2b3c4d"
        environment = event.environment == .production ? "PRODUCTION" : "SANDBOX"
        let anonymous = "$RCAnonymousID:" + StoreID.make(event.facts.lineage, "customer")
        if event.type == "TRANSFER" {
            transferredFrom = [event.user ?? anonymous]
            transferredTo = [event.subtype ?? anonymous]
            return
        }
        appUserId = event.user ?? anonymous
        originalAppUserId = anonymous
        aliases = [anonymous]
        subscriberAttributes = event.token.map {
            ["paycast_order": Attribute(value: $0.description, updatedAtMs: event.now.milliseconds)]
        }
        if RevenueCatDocument.contractTypes.contains(event.type) { fill(event) }
    }

    private static let contractTypes: Set = [
        "BILLING_ISSUE", "CANCELLATION", "EXPIRATION", "INITIAL_PURCHASE", "NON_RENEWING_PURCHASE", "PRODUCT_CHANGE",
        "REFUND_REVERSED", "RENEWAL", "SUBSCRIPTION_EXTENDED", "SUBSCRIPTION_PAUSED", "TEMPORARY_ENTITLEMENT_GRANT",
        "UNCANCELLATION",
    ]

    private mutating func fill(_ event: SimulatedEvent) {
        let model = AppStorePurchaseModel(event)
        let isSubscription = model.product.kind == .subscription
        let isFirst = event.facts.state == .pending || !isSubscription
        productId = event.type == "PRODUCT_CHANGE" ? event.facts.product : model.product.id
        newProductId = event.type == "PRODUCT_CHANGE" ? model.nextProduct : nil
        entitlementIds = ["pro"]
        originalTransactionId = model.lineage
        transactionId = isFirst ? model.lineage : StoreID.make(model.lineage, String(model.period.milliseconds))
        purchasedAtMs = model.purchasedAt.milliseconds
        if isSubscription { expirationAtMs = model.expiresAt.milliseconds }
        if model.product.kind == .nonRenewing { expirationAtMs = (event.now + .days(30)).milliseconds }
        gracePeriodExpirationAtMs = event.type == "BILLING_ISSUE" ? model.graceUntil?.milliseconds : nil
        isFamilyShare = event.subtype == "FAMILY"
        let reason = event.subtype == "FAMILY" ? "CUSTOMER_SUPPORT" : event.subtype
        switch event.type {
        case "CANCELLATION": cancelReason = reason ?? "UNSUBSCRIBE"
        case "EXPIRATION": expirationReason = event.subtype ?? "UNSUBSCRIBE"
        case "INITIAL_PURCHASE" where event.subtype == "TRIAL": periodType = "TRIAL"
        default: break
        }
        if type == "EXPIRATION" || type == "BILLING_ISSUE" {
            // Here, RevenueCat notices the end at once; a period that was paid for stays paid for.
            expirationAtMs = min(event.facts.accessUntil ?? event.now, event.now).milliseconds
        }
        if type == "EXPIRATION" { expirationAtMs = isSubscription ? event.now.milliseconds : nil }
        if type == "TEMPORARY_ENTITLEMENT_GRANT" { expirationAtMs = (event.now + .days(1)).milliseconds }
        periodType = periodType ?? (isSubscription ? "NORMAL" : nil)
        priceInPurchasedCurrency = Double(model.product.price) / 1000
        currency = model.product.currency
    }
}

extension AppStorePurchaseModel {
    /// The event as the store behind RevenueCat sees it.
    fileprivate init(_ event: SimulatedEvent) {
        var facts = event.facts
        if event.type == "NON_RENEWING_PURCHASE", facts.kind == .subscription { facts.kind = .nonConsumable }
        self.init(facts, now: event.now)
        switch (event.type, event.subtype) {
        case ("INITIAL_PURCHASE", _), ("TEMPORARY_ENTITLEMENT_GRANT", _): apply("SUBSCRIBED", subtype: nil)
        case ("NON_RENEWING_PURCHASE", _): apply("ONE_TIME_CHARGE", subtype: nil)
        case ("RENEWAL", "UPGRADE"): apply("DID_CHANGE_RENEWAL_PREF", subtype: "UPGRADE")
        case ("RENEWAL", _): apply("DID_RENEW", subtype: nil)
        case ("BILLING_ISSUE", "GRACE"): apply("DID_FAIL_TO_RENEW", subtype: "GRACE_PERIOD")
        case ("BILLING_ISSUE", _): apply("DID_FAIL_TO_RENEW", subtype: nil)
        case ("PRODUCT_CHANGE", _): apply("DID_CHANGE_RENEWAL_PREF", subtype: "DOWNGRADE")
        case ("SUBSCRIPTION_EXTENDED", _): apply("RENEWAL_EXTENDED", subtype: nil)
        case ("REFUND_REVERSED", _): apply("REFUND_REVERSED", subtype: nil)
        default: break
        }
    }
}
