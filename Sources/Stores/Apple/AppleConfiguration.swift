public import Crypto
public import Domain

/// Whom the Apple routes serve.
public struct AppleConfiguration: Sendable {
    public enum Accepted<Value: Hashable & Sendable>: Sendable {
        /// Development only.
        case any
        case only(Set<Value>)

        func contains(_ value: Value?) -> Bool {
            switch self {
            case .any: true
            case .only(let values): value.map { values.contains($0) } ?? false
            }
        }

        var isEmpty: Bool {
            switch self {
            case .any: false
            case .only(let values): values.isEmpty
            }
        }
    }

    /// The numeric Apple IDs of the apps.
    public enum AppIDs: Sendable, Equatable {
        /// Development, and Sandbox alone.
        case any
        /// Of whichever app.
        case only(Set<Int64>)
        /// By bundle id: an app without one is not served in Production.
        case each([String: Int64])

        func contains(_ id: Int64?, of bundle: String) -> Bool {
            switch self {
            case .any: true
            case .only(let ids): id.map { ids.contains($0) } ?? false
            case .each(let ids): id != nil && ids[bundle] == id
            }
        }

        var isEmpty: Bool {
            switch self {
            case .any: false
            case .only(let ids): ids.isEmpty
            case .each(let ids): ids.isEmpty
            }
        }
    }

    /// With none of them, everything is answered `notConfigured`.
    public let bundleIDs: Accepted<String>
    /// Compared in Production only: Sandbox payloads may leave it out.
    public let appIDs: AppIDs
    public let environments: Set<StoreEnvironment>
    public let roots: TrustedRoots
    /// For what a receipt does not tell of its products.
    public let catalog: Catalog

    /// Production without an app id would believe any app that shares the bundle id, so there is no such configuration.
    public init(
        bundleIDs: Accepted<String>,
        appIDs: AppIDs,
        environments: Set<StoreEnvironment>,
        roots: TrustedRoots,
        catalog: Catalog = Catalog()
    ) throws(AppleConfigurationError) {
        let isServingProduction = !bundleIDs.isEmpty && environments.contains(.production)
        guard !isServingProduction || !appIDs.isEmpty else { throw .missingAppID }
        self.bundleIDs = bundleIDs
        self.appIDs = appIDs
        self.environments = environments
        self.roots = roots
        self.catalog = catalog
    }
}

public enum AppleConfigurationError: Error, Equatable, CustomStringConvertible {
    case missingAppID

    public var description: String {
        "PAYCAST_APPLE_APP_ID is required when Production is served: set it to the numeric Apple ID of the app"
    }
}
