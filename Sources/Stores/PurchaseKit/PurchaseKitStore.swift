public import Domain
public import Support

/// The settings of PurchaseKit.
public struct PurchaseKitStore: Store {
    public static let provider = Provider.purchasekit
    public static let title = "PurchaseKit"
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

extension PurchaseKitVerifier: OpenStore {}
