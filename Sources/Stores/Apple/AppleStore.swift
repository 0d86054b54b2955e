internal import Crypto
public import Domain
public import Support

/// The settings of the App Store.
public struct AppleStore: Store {
    public static let provider = Provider.apple
    public static let title = "App Store"
    public static let transactions: (any PostedPurchase.Type)? = PostedAppleTransaction.self
    public static let receipts: (any PostedPurchase.Type)? = PostedAppleReceipt.self
    public static let offers: (any RequestedOffer.Type)? = RequestedAppleOffer.self
    /// Apple signs with its own certificates: only other roots than Apple's can be wrong.
    public static let webhookSecret = "PAYCAST_APPLE_ROOTS"
    public static let appSetting = "PAYCAST_APPLE_BUNDLE_ID"
    public static let historyKey: String? = "PAYCAST_APPLE_API_KEY"
    public static let isForwarded = true

    /// The key of the App Store Server API (https://developer.apple.com/documentation/appstoreserverapi).
    public struct ServerKey: Sendable, Equatable {
        /// PEM of the `.p8` file.
        public var key: Secret
        public var id: String
        public var issuer: String
    }

    /// `PAYCAST_APPLE_BUNDLE_ID`. If empty, the routes answer 503 `not_configured`; `any` when no app is named in
    /// development.
    public var bundles: Allowlist<String>
    /// `PAYCAST_APPLE_APP_ID`: each bundle's, in the same order. `any` is only possible in development or without
    /// Production.
    public var appIDs: AppleConfiguration.AppIDs
    /// `PAYCAST_APPLE_ENVIRONMENTS`, Production,Sandbox.
    public var environments: Set<StoreEnvironment>
    /// `PAYCAST_APPLE_ROOTS`: a file or folder that replaces the built-in roots.
    public var rootsPath: String?
    /// `PAYCAST_APPLE_API_KEY` (PEM, or the path of a `.p8` file), `…_KEY_ID`, `…_ISSUER_ID`.
    public var serverKey: ServerKey?
    /// `PAYCAST_APPLE_OFFERS`, as `PRODUCT:OFFER`: what is signed for every app that has a stream. Others need the API key.
    public var openOffers: Set<String>
    /// `PAYCAST_APPLE_API_URL`; nil for Apple's own address of each environment.
    public var apiURL: String?
    private let isDevelopment: Bool

    public init(_ settings: inout SettingsReader) {
        let named = settings.list("PAYCAST_APPLE_BUNDLE_ID", expected: "a bundle id", isValid: isAppName)
        bundles = named.isEmpty && settings.isDevelopment ? .any : .only(Set(named))
        environments = settings.appleEnvironments()
        appIDs = settings.appleAppIDs(of: named)
        rootsPath = settings.appleRoots()
        serverKey = settings.appleServerKey()
        openOffers = settings.appleOpenOffers()
        apiURL = settings.baseURL("PAYCAST_APPLE_API_URL")
        isDevelopment = settings.isDevelopment
        settings.requireAppleAppID(of: named, in: environments)
    }

    /// The first of the named apps in alphabetical order.
    public var simulatedApp: String? {
        if case .only(let bundles) = bundles { bundles.min() } else { nil }
    }

    public static func claimedID(of delivery: Delivery) -> String? {
        guard let payload = ClaimedID.object(delivery.body)?.text("signedPayload", limit: 256 << 10),
            let jws = try? JWS(payload),
            let notification = try? jws.payload()
        else { return nil }
        return ClaimedID.uuid("notificationUUID", in: ClaimedID.object(notification))
    }

    public var missingSettings: [String] { bundles.isEmpty ? ["PAYCAST_APPLE_BUNDLE_ID"] : [] }

    /// In development the stand-in answers.
    public var hasAPI: Bool { serverKey != nil || isDevelopment }

    public mutating func reload(from new: AppleStore, changes: inout SettingsChanges) {
        changes.take("PAYCAST_APPLE_API_KEY", into: &serverKey, from: new.serverKey)
    }
}

/// Decides which roots Apple's documents are verified with.
extension AppleStore {
    /// Apple's own roots, or the configured ones in their place. A development server also trusts its own throw-away
    /// root.
    func roots(_ development: StoreDevelopment?) throws(StoreError) -> TrustedRoots {
        do throws(TrustedRootsError) {
            let roots =
                try rootsPath.map { path throws(TrustedRootsError) in try TrustedRoots.load(from: path) } ?? .apple
            return development?.root.flatMap { TrustedRoots(pem: $0) }.map { roots + $0 } ?? roots
        } catch {
            throw StoreError(error.description)
        }
    }
}
