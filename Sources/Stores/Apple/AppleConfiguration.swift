public import Crypto
public import Domain

/// Which apps and environments the Apple routes serve.
public struct AppleConfiguration: Sendable {
    /// The numeric Apple IDs of the apps.
    public enum AppIDs: Sendable, Equatable {
        /// For development, or if only Sandbox is served.
        case any
        /// These ids, whatever the app's bundle id.
        case only(Set<Int64>)
        /// One id for each bundle id. An app without one is not served in Production.
        case each([String: Int64])

        func contains(_ id: Int64?, of bundle: String) -> Bool {
            switch self {
            case .any: true
            case .only(let ids): id.map { ids.contains($0) } ?? false
            case .each(let ids): id != nil && ids[bundle] == id
            }
        }
    }

    /// `any` is for development only. If empty, every request fails with `notConfigured`.
    public let bundleIDs: Allowlist<String>
    /// Compared only in Production: Sandbox payloads may leave it out.
    public let appIDs: AppIDs
    /// Where stores sell: Production, Sandbox or both. Xcode for what it signed itself, and then no other.
    public internal(set) var environments: Set<StoreEnvironment>
    public let roots: TrustedRoots
    /// Whether transactions of StoreKit testing in Xcode count, which anybody could sign: in development only.
    public let acceptsXcode: Bool
    /// Supplies what a receipt does not say about its products.
    public let catalog: Catalog

    /// Throws if Production is served and `appIDs` is an empty list. `any` does not throw, and accepts every app that
    /// shares the bundle id: `AppleStore` combines it with Production in development only.
    public init(
        bundleIDs: Allowlist<String>,
        appIDs: AppIDs,
        environments: Set<StoreEnvironment>,
        roots: TrustedRoots,
        acceptsXcode: Bool = false,
        catalog: Catalog = Catalog()
    ) throws(StoreError) {
        let isServingProduction = !bundleIDs.isEmpty && environments.contains(.production)
        guard !isServingProduction || appIDs != .only([]) else {
            let todo = "set it to the numeric Apple ID of the app"
            throw StoreError("PAYCAST_APPLE_APP_ID is required when Production is served: \(todo)")
        }
        self.bundleIDs = bundleIDs
        self.appIDs = appIDs
        self.environments = environments
        self.roots = roots
        self.acceptsXcode = acceptsXcode
        self.catalog = catalog
    }
}

/// The app and environment of a document.
struct ApplePlace {
    var app: String
    var environment: StoreEnvironment

    func key(_ lineage: String) -> ContractKey {
        ContractKey(provider: .apple, environment: environment, app: app, lineage: lineage)
    }
}
