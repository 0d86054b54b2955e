public import Domain
public import Settings
public import StoreInterface

/// The settings of RevenueCat.
public struct RevenueCatStore: Store {
    public static let provider = Provider.revenuecat
    public static let title = "RevenueCat"

    /// `PAYCAST_REVENUECAT_AUTHORIZATION`: the exact header value.
    public var authorization: Secret?
    private let isDevelopment: Bool

    public init(_ settings: inout SettingsReader) {
        authorization = settings.secret("PAYCAST_REVENUECAT_AUTHORIZATION")
        isDevelopment = settings.isDevelopment
    }

    public var missingSettings: [String] {
        authorization == nil && !isDevelopment ? ["PAYCAST_REVENUECAT_AUTHORIZATION"] : []
    }

    public mutating func reload(from new: RevenueCatStore, changes: inout SettingsChanges) {
        changes.take("PAYCAST_REVENUECAT_AUTHORIZATION", into: &authorization, from: new.authorization)
    }

    /// In development, the simulated store's value is used when none is set.
    public func open(_ dependencies: StoreDependencies) -> RevenueCatVerifier? {
        let given = authorization?.value ?? dependencies.development?.secret
        return given.flatMap { RevenueCatVerifier(authorization: $0, catalog: dependencies.catalog) }
    }
}

extension RevenueCatVerifier: OpenStore {}
