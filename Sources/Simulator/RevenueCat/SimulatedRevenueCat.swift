public import Crypto
public import Domain
import Encoding

/// Writes webhooks as RevenueCat does. It does no I/O.
///
/// The subtype is the reason for a CANCELLATION or an EXPIRATION, the period type of a purchase, `GRACE` for a
/// BILLING_ISSUE that leaves access, `UPGRADE` for a RENEWAL that starts a new plan at once, `FAMILY` for a purchase
/// shared with a family member, and for a TRANSFER the user who gains.
public struct SimulatedRevenueCat: SharedSecretStore {
    public static let provider = Provider.revenuecat

    /// https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields
    public static let types = [
        "BILLING_ISSUE", "CANCELLATION", "EXPERIMENT_ENROLLMENT", "EXPIRATION", "INITIAL_PURCHASE",
        "INVOICE_ISSUANCE", "NON_RENEWING_PURCHASE", "PRICE_INCREASE_CONSENT_APPROVED",
        "PRICE_INCREASE_CONSENT_REQUIRED", "PRODUCT_CHANGE", "REFUND_REVERSED", "RENEWAL",
        "SUBSCRIBER_ALIAS", "SUBSCRIPTION_EXTENDED", "SUBSCRIPTION_PAUSED", "TEMPORARY_ENTITLEMENT_GRANT", "TEST",
        "TRANSFER", "UNCANCELLATION", "VIRTUAL_CURRENCY_TRANSACTION",
    ]

    public static let steps: StepNames = [
        .initial: "INITIAL_PURCHASE", .trial: "INITIAL_PURCHASE/TRIAL", .renew: "RENEWAL",
        .grace: "BILLING_ISSUE/GRACE", .retry: "BILLING_ISSUE", .recover: "RENEWAL", .cancel: "CANCELLATION",
        .resume: "UNCANCELLATION", .expire: "EXPIRATION",
        .refund: "CANCELLATION/CUSTOMER_SUPPORT", .reversed: "REFUND_REVERSED",
        .pause: "EXPIRATION/SUBSCRIPTION_PAUSED",
        // A PRODUCT_CHANGE announces it.
        .upgrade: "RENEWAL/UPGRADE", .downgrade: "PRODUCT_CHANGE",
    ]

    public static let stepsOnce: StepNames = [
        .initial: "NON_RENEWING_PURCHASE", .refund: "CANCELLATION/CUSTOMER_SUPPORT", .reversed: "REFUND_REVERSED",
    ]

    private let secret: String

    /// `secret` is the full value of the `Authorization` header, and signs.
    public init(secret: String) {
        self.secret = secret
    }

    public func delivery(_ event: SimulatedEvent) throws(CryptoError) -> SimulatedDelivery {
        let document = RevenueCatDocument(event)
        let body: WireJSON = ["api_version": "1.0", "event": document.json]
        return try post(body.bytes, event: document.id, at: event.now)
    }

    public func headers(of body: [UInt8], at now: Instant) -> [(String, String)] {
        let signature = SimulatedStripe(secret: secret).signature(of: body, at: now)
        return [("Authorization", secret), ("X-RevenueCat-Webhook-Signature", signature)]
    }
}

/// The `event` member, member for member as it is sent. Dates are in milliseconds.
struct RevenueCatDocument {
    private let event: SimulatedEvent
    let id: String

    init(_ event: SimulatedEvent) {
        self.event = event
        id = event.id ?? OrderToken.random().description
    }

    var json: WireJSON {
        let anonymous = "$RCAnonymousID:" + StoreID.make(event.facts.lineage, "customer")
        var document: WireJSON = [
            "id": .text(id), "type": .text(event.type), "event_timestamp_ms": .number(event.now.milliseconds),
            "app_id": .text(event.app ?? "app1a2b3c4d"), "store": "APP_STORE",
            "environment": event.environment == .production ? "PRODUCTION" : "SANDBOX",
        ]
        if event.type == "TRANSFER" {
            document["transferred_from"] = [.text(event.user ?? anonymous)]
            document["transferred_to"] = [.text(event.subtype ?? anonymous)]
            return document
        }
        document["app_user_id"] = .text(event.user ?? anonymous)
        document["original_app_user_id"] = .text(anonymous)
        document["aliases"] = [.text(anonymous)]
        document["subscriber_attributes"] = event.token.map { token in
            let now = WireJSON.number(event.now.milliseconds)
            return ["paycast_order": ["value": .text(token.description), "updated_at_ms": now]]
        }
        if RevenueCatDocument.contractTypes.contains(event.type) { fill(&document) }
        return document
    }

    private static let contractTypes: Set = [
        "BILLING_ISSUE", "CANCELLATION", "EXPIRATION", "INITIAL_PURCHASE", "NON_RENEWING_PURCHASE", "PRODUCT_CHANGE",
        "REFUND_REVERSED", "RENEWAL", "SUBSCRIPTION_EXTENDED", "SUBSCRIPTION_PAUSED", "TEMPORARY_ENTITLEMENT_GRANT",
        "UNCANCELLATION",
    ]

    private func fill(_ document: inout WireJSON) {
        let model = AppStorePurchaseModel(event)
        let isSubscription = model.product.kind == .subscription
        // Until it renews, every event is about the first charge.
        let isRenewed = event.facts.renewals > 0 || ["RENEWAL", "PRODUCT_CHANGE"].contains(event.type)
        let isFirst = event.facts.state == .pending || !isSubscription || !isRenewed
        let isChange = event.type == "PRODUCT_CHANGE"
        let period = StoreID.make(model.lineage, String(model.period.milliseconds))
        document["product_id"] = .text(isChange ? event.facts.product : model.product.id)
        if isChange { document["new_product_id"] = .text(model.nextProduct) }
        document["entitlement_ids"] = model.product.kind == .consumable ? .null : ["pro"]
        document["original_transaction_id"] = .text(model.lineage)
        document["transaction_id"] = .text(isFirst ? model.lineage : period)
        document["purchased_at_ms"] = .number(model.purchasedAt.milliseconds)
        document["expiration_at_ms"] = end(model).map { .number($0.milliseconds) }
        if event.type == "BILLING_ISSUE" {
            document["grace_period_expiration_at_ms"] = model.graceUntil.map { .number($0.milliseconds) }
        }
        let isFamily = event.subtype == "FAMILY"
        let reason = event.subtype ?? "UNSUBSCRIBE"
        document["is_family_share"] = .flag(isFamily)
        if event.type == "CANCELLATION" { document["cancel_reason"] = .text(isFamily ? "CUSTOMER_SUPPORT" : reason) }
        if event.type == "EXPIRATION" { document["expiration_reason"] = .text(reason) }
        if isSubscription { document["period_type"] = .text(model.isTrial ? "TRIAL" : "NORMAL") }
        if event.type == "RENEWAL" { document["is_trial_conversion"] = .flag(event.facts.isTrial) }
        let price = model.isTrial ? 0 : model.product.price
        document["price_in_purchased_currency"] = .decimal(Double(price) / 1000)
        document["currency"] = .text(model.product.currency)
    }

    private func end(_ model: AppStorePurchaseModel) -> Instant? {
        switch event.type {
        case "TEMPORARY_ENTITLEMENT_GRANT": event.now + .days(1)
        case "EXPIRATION": model.product.kind == .subscription ? event.now : nil
        // Here, RevenueCat notices the end at once; a period that was paid for stays paid for.
        case "BILLING_ISSUE": min(event.facts.accessUntil ?? event.now, event.now)
        case _ where model.product.kind == .nonRenewing: event.now + .days(30)
        default: model.product.kind == .subscription ? model.expiresAt : nil
        }
    }
}

extension AppStorePurchaseModel {
    /// The event as the store behind RevenueCat sees it.
    fileprivate init(_ event: SimulatedEvent) {
        var facts = event.facts
        if event.type == "NON_RENEWING_PURCHASE", facts.kind == .subscription { facts.kind = .nonConsumable }
        if event.type == "INITIAL_PURCHASE", event.subtype == "TRIAL" { facts.isTrial = true }
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
