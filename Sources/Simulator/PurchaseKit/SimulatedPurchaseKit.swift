public import Crypto
public import Domain
internal import Encoding

/// Writes and signs webhooks as PurchaseKit does. It does no I/O.
public struct SimulatedPurchaseKit: SimulatedStore {
    public static let provider = Provider.purchasekit

    /// https://github.com/PurchaseKit/purchasekit
    public static let types = [
        "subscription.canceled", "subscription.created", "subscription.expired", "subscription.updated",
    ]

    private let secret: [UInt8]

    public init(secret: String) {
        self.secret = Array(secret.utf8)
    }

    /// The subtype is the store behind PurchaseKit: `apple` or `google`.
    public func delivery(_ event: SimulatedEvent) throws(CryptoError) -> SimulatedDelivery {
        let document = PurchaseKitDocument(event)
        let body = AppStoreJSON.encode(snakeCase: document)
        return SimulatedDelivery(
            path: "/webhooks/purchasekit",
            headers: [("X-PurchaseKit-Signature", Hex.encode(HMAC.authenticate(body, key: secret)))],
            body: body,
            event: document.eventId
        )
    }
}

/// The flat object that PurchaseKit posts. Dates are ISO 8601.
struct PurchaseKitDocument: Encodable {
    var eventId: String
    var type: String
    var customerId: String?
    var subscriptionId: String
    var store: String
    var storeProductId: String
    var googleBasePlanId: String?
    var subscriptionName = "Pro"
    var status: String
    var currentPeriodStart: String
    var currentPeriodEnd: String
    var endsAt: String?
    var successPath = "/"

    init(_ event: SimulatedEvent) {
        var model = AppStorePurchaseModel(event.facts, now: event.now)
        eventId = event.id ?? OrderToken.random().description
        type = event.type
        customerId = event.user ?? event.token?.description
        subscriptionId = model.lineage
        store = event.subtype ?? "apple"
        googleBasePlanId = event.subtype == "google" ? "monthly" : nil
        switch event.type {
        case "subscription.created": model.apply("SUBSCRIBED", subtype: nil)
        case "subscription.updated": model.apply("DID_RENEW", subtype: nil)
        default: break
        }
        status =
            switch event.type {
            case "subscription.canceled": "canceled"
            case "subscription.expired": "expired"
            default: "active"
            }
        if event.type == "subscription.canceled" { endsAt = model.expiresAt.iso8601 }
        if event.type == "subscription.expired" { endsAt = min(model.expiresAt, event.now).iso8601 }
        storeProductId = model.product.id
        currentPeriodStart = model.purchasedAt.iso8601
        currentPeriodEnd = model.expiresAt.iso8601
    }
}
