internal import Crypto
public import Domain
internal import Encoding

/// Verifies that a webhook was signed with PurchaseKit's secret, and interprets it. The signature has no date; a replay
/// is recognized by its id, and says nothing new.
public struct PurchaseKitVerifier: StoreVerifier {
    private let secret: [UInt8]
    private let catalog: Catalog

    /// Returns nil when the secret is empty, because anybody could sign with that.
    public init?(secret: String, catalog: Catalog = Catalog()) {
        guard !secret.isEmpty else { return nil }
        self.secret = Array(secret.utf8)
        self.catalog = catalog
    }

    public var signatureHeader: StaticString? { "x-purchasekit-signature" }

    public func verify(_ delivery: Delivery, now: Instant) throws(VerificationError) -> Event {
        guard let signature = delivery.signature else { throw .malformed(.missingSignature) }
        let expected = HMAC.authenticate(delivery.body, key: secret)
        guard let given = Hex.decode(signature), constantTimeCompare(given, with: expected) else {
            throw .untrusted(.badSignature)
        }
        return try event(delivery.body, now: now)
    }

    public func interpret(_ stored: StoredDelivery) throws(VerificationError) -> Event? {
        try event(stored.body, now: stored.receivedAt)
    }

    private func event(_ body: [UInt8], now: Instant) throws(VerificationError) -> Event {
        let event = try PurchaseKitEvent(body)
        return Event(
            provider: .purchasekit,
            environment: .production,
            app: Provider.purchasekit.rawValue,
            id: event.id,
            type: event.type,
            subtype: event.store,
            kind: event.kind,
            signedAt: event.statedAt(now: now),
            observation: event.observation(catalog, now: now),
            body: body
        )
    }
}
