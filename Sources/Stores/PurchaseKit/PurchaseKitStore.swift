import Crypto
public import Domain
import Encoding
public import Support

/// The settings of PurchaseKit.
public struct PurchaseKitStore: Store {
    public static let provider = Provider.purchasekit
    public static let title = "PurchaseKit"
    public static let fields: KeyValuePairs<String, EventField> = [
        "Type": .type, "Store": .subtype, "Event": .event, "Subscription": .contract, "Customer": .user,
        "Product": .product,
    ]
    public static let webhookSecret = "PAYCAST_PURCHASEKIT_SECRET"

    /// `PAYCAST_PURCHASEKIT_SECRET`.
    public var secret: Secret?
    private let isDevelopment: Bool

    public init(_ settings: inout SettingsReader) {
        secret = settings.secret("PAYCAST_PURCHASEKIT_SECRET")
        isDevelopment = settings.isDevelopment
    }

    /// The signature is an HMAC-SHA256 in 64 digits.
    public static func claimedID(of delivery: Delivery) -> String? {
        guard delivery.signature?.utf8.count == 64, let event = ClaimedID.object(delivery.body),
            event.text("type") != nil
        else { return nil }
        return ClaimedID.text("event_id", in: event)
    }

    public var missingSettings: [String] { secret == nil && !isDevelopment ? ["PAYCAST_PURCHASEKIT_SECRET"] : [] }

    public mutating func reload(from new: PurchaseKitStore, changes: inout SettingsChanges) {
        changes.take("PAYCAST_PURCHASEKIT_SECRET", into: &secret, from: new.secret)
    }

    /// In development, the simulated store's secret is used when none is set.
    public func open(_ dependencies: StoreDependencies) -> PurchaseKitVerifier? {
        let given = secret?.value ?? dependencies.development?.secret
        return given.flatMap { PurchaseKitVerifier(secret: $0, catalog: dependencies.catalog) }
    }
}

/// Verifies that a webhook was signed with PurchaseKit's secret, and interprets it. The signature has no date; a replay
/// is recognized by its id, and says nothing new.
public struct PurchaseKitVerifier: StoreVerifier, OpenStore {
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
