public import Crypto
public import Domain
import Encoding

/// Writes and signs webhooks as PurchaseKit does. It does no I/O.
public struct SimulatedPurchaseKit: SharedSecretStore {
    public static let provider = Provider.purchasekit

    /// https://github.com/PurchaseKit/purchasekit
    public static let types = [
        "subscription.canceled", "subscription.created", "subscription.expired", "subscription.updated",
    ]

    public static let steps: StepNames = [
        .initial: "subscription.created", .trial: "subscription.created", .renew: "subscription.updated",
        .recover: "subscription.updated",
        .cancel: "subscription.canceled", .expire: "subscription.expired",
    ]

    private let secret: [UInt8]

    public init(secret: String) {
        self.secret = Array(secret.utf8)
    }

    /// The subtype is the store behind PurchaseKit: `apple` or `google`.
    public func delivery(_ event: SimulatedEvent) throws(CryptoError) -> SimulatedDelivery {
        let id = event.id ?? OrderToken.random().description
        return try post(SimulatedPurchaseKit.document(event, id: id).bytes, event: id, at: event.now)
    }

    public func headers(of body: [UInt8], at now: Instant) -> [(String, String)] {
        [("X-PurchaseKit-Signature", Hex.encode(HMAC.authenticate(body, key: secret)))]
    }

    /// The flat object that PurchaseKit posts. Dates are ISO 8601.
    private static func document(_ event: SimulatedEvent, id: String) -> WireJSON {
        var model = AppStorePurchaseModel(event.facts, now: event.now)
        var status = "active"
        var end: Instant?
        switch event.type {
        case "subscription.created": model.apply("SUBSCRIBED", subtype: nil)
        case "subscription.updated": model.apply("DID_RENEW", subtype: nil)
        case "subscription.canceled": (status, end) = ("canceled", model.expiresAt)
        case "subscription.expired": (status, end) = ("expired", min(model.expiresAt, event.now))
        default: break
        }
        return [
            "event_id": .text(id), "type": .text(event.type), "status": .text(status),
            "subscription_id": .text(model.lineage), "subscription_name": "Pro",
            "store": .text(event.subtype ?? "apple"), "store_product_id": .text(model.product.id),
            "current_period_start": .text(model.purchasedAt.iso8601),
            "current_period_end": .text(model.expiresAt.iso8601), "success_path": "/",
            "customer_id": (event.user ?? event.token?.description).map { .text($0) },
            "google_base_plan_id": event.subtype == "google" ? "monthly" : nil,
            "trial_ends_at": model.isTrial ? .text(model.expiresAt.iso8601) : nil,
            "ends_at": end.map { .text($0.iso8601) },
        ]
    }
}
