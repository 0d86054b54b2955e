public import Domain
public import Support

/// The settings of RevenueCat.
public struct RevenueCatStore: Store {
    public static let provider = Provider.revenuecat
    public static let title = "RevenueCat"
    public static let webhookSecret = "PAYCAST_REVENUECAT_AUTHORIZATION and PAYCAST_REVENUECAT_SECRETS"

    /// `PAYCAST_REVENUECAT_AUTHORIZATION`: the exact header value.
    public var authorization: Secret?
    /// `PAYCAST_REVENUECAT_SECRETS`: the signing secrets.
    public var secrets: [Secret]
    /// `PAYCAST_REVENUECAT_TOLERANCE` in seconds, 300; for the past and the future.
    public var tolerance: Duration
    private let isDevelopment: Bool

    public init(_ settings: inout SettingsReader) {
        authorization = settings.secret("PAYCAST_REVENUECAT_AUTHORIZATION")
        secrets = settings.secrets("PAYCAST_REVENUECAT_SECRETS")
        tolerance = .seconds(settings.number("PAYCAST_REVENUECAT_TOLERANCE", default: 300, in: 1...86_400))
        isDevelopment = settings.isDevelopment
    }

    public static func claimedID(of delivery: Delivery) -> String? {
        let event = ClaimedID.object(delivery.body)?.object("event")
        return event?.text("type") == nil ? nil : ClaimedID.uuid("id", in: event)
    }

    public var missingSettings: [String] {
        hasProof || isDevelopment ? [] : ["PAYCAST_REVENUECAT_AUTHORIZATION"]
    }

    private var hasProof: Bool { authorization != nil || !secrets.isEmpty }

    public mutating func reload(from new: RevenueCatStore, changes: inout SettingsChanges) {
        changes.take("PAYCAST_REVENUECAT_AUTHORIZATION", into: &authorization, from: new.authorization)
        changes.take("PAYCAST_REVENUECAT_SECRETS", into: &secrets, from: new.secrets)
    }

    /// In development, the simulated store's value is used when none is set.
    public func open(_ dependencies: StoreDependencies) -> RevenueCatVerifier? {
        RevenueCatVerifier(
            authorization: hasProof ? authorization?.value : dependencies.development?.secret,
            secrets: secrets.map(\.value),
            tolerance: tolerance,
            catalog: dependencies.catalog
        )
    }
}

extension RevenueCatVerifier: OpenStore {}
