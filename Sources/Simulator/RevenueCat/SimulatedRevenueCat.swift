public import Crypto
public import Domain
internal import Encoding

/// Writes webhooks as RevenueCat does. It does no I/O.
///
/// The subtype is the reason for a CANCELLATION or an EXPIRATION, the period type of a purchase, `GRACE` for a
/// BILLING_ISSUE that leaves access, `UPGRADE` for a RENEWAL that starts a new plan at once, `FAMILY` for a purchase
/// shared with a family member, and for a TRANSFER the user who gains.
public struct SimulatedRevenueCat: SimulatedStore {
    public static let provider = Provider.revenuecat

    /// https://www.revenuecat.com/docs/integrations/webhooks/event-types-and-fields
    public static let types = [
        "BILLING_ISSUE", "CANCELLATION", "EXPERIMENT_ENROLLMENT", "EXPIRATION", "INITIAL_PURCHASE",
        "INVOICE_ISSUANCE", "NON_RENEWING_PURCHASE", "PRICE_INCREASE_CONSENT_APPROVED",
        "PRICE_INCREASE_CONSENT_REQUIRED", "PRODUCT_CHANGE", "REFUND_REVERSED", "RENEWAL",
        "SUBSCRIBER_ALIAS", "SUBSCRIPTION_EXTENDED", "SUBSCRIPTION_PAUSED", "TEMPORARY_ENTITLEMENT_GRANT", "TEST",
        "TRANSFER", "UNCANCELLATION", "VIRTUAL_CURRENCY_TRANSACTION",
    ]

    private let authorization: String

    /// `authorization` is the full value of the header, and the secret that signs.
    public init(authorization: String) {
        self.authorization = authorization
    }

    public func delivery(_ event: SimulatedEvent) throws(CryptoError) -> SimulatedDelivery {
        let document = RevenueCatDocument(event)
        let post: WireJSON = ["api_version": "1.0", "event": document.json]
        let body = post.bytes
        return SimulatedDelivery(
            path: "/webhooks/revenuecat",
            headers: headers(of: body, at: event.now),
            body: body,
            event: document.id
        )
    }

    /// Each attempt is signed anew.
    public func attempt(_ delivery: SimulatedDelivery, at now: Instant) -> SimulatedDelivery {
        var delivery = delivery
        delivery.headers = headers(of: delivery.body, at: now)
        return delivery
    }

    private func headers(of body: [UInt8], at now: Instant) -> [(String, String)] {
        let signature = SimulatedStripe(secret: authorization).signature(of: body, at: now)
        return [("Authorization", authorization), ("X-RevenueCat-Webhook-Signature", signature)]
    }
}
