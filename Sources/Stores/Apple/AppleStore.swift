import Crypto
public import Domain
public import Encoding
import Glibc
public import Support

/// The settings of the App Store.
public struct AppleStore: Store {
    public static let provider = Provider.apple
    public static let title = "App Store"
    public static let name = "Apple"
    public static let fields: KeyValuePairs<String, EventField> = [
        "Notification type": .type, "Subtype": .subtype, "Notification UUID": .event,
        "Environment": .environment, "Bundle": .app, "Product": .product, "Renews as": .next,
        "Transaction": .charge, "Original transaction": .contract, "Migrated from": .replaces,
        "App account token": .order, "Subscription group": .group, "Purchased": .bought,
        "Expires": .paidUntil, "Revoked": .takenBack, "Auto-renew": .renews, "Price": .price,
        "Family shared": .family,
    ]
    public static let transactions: (any PostedPurchase.Type)? = PostedAppleTransaction.self
    public static let receipts: (any PostedPurchase.Type)? = PostedAppleReceipt.self
    public static let offers: (any RequestedOffer.Type)? = RequestedAppleOffer.self
    /// Apple signs with its own certificates: only other roots than Apple's can be wrong.
    public static let webhookSecret = "PAYCAST_APPLE_ROOTS"
    public static let appSetting = "PAYCAST_APPLE_BUNDLE_ID"
    public static let historyKey: String? = "PAYCAST_APPLE_API_KEY"

    public static let lookup: PurchaseLookup? = PurchaseLookup(
        key: "PAYCAST_APPLE_API_KEY",
        isTypical: { AppleServerAPI.orderID($0) == $0 }
    ) { name in
        if AppleServerAPI.orderID(name) != nil { return "an order ID" }
        return AppleServerAPI.isTransactionID(name) ? "a transaction id" : nil
    }

    public static func named(_ id: String, app: String?) -> WireJSON? {
        ["transactionId": .text(id), "app": app.map { .text($0) }]
    }

    public static func cancelPage(of contract: String, isTest: Bool) -> CancelPage? {
        .buyers("https://apps.apple.com/account/subscriptions")
    }

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
    public var appIDs: AppleVerifier.AppIDs
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

/// The App Store with its settings in force.
public struct OpenAppleStore: OpenStore {
    let settings: AppleStore
    let development: StoreDevelopment?
    /// Verifies notifications, and what apps post.
    let apple: AppleVerifier
    /// Nil without a key.
    let serverAPI: AppleServerAPI?
    /// Whether a call of it just now got no answer.
    let isSilent: @Sendable () -> Bool
    /// For people who wait for the answer: soon without one, and no outage if Apple refuses the key.
    let lookupAPI: AppleServerAPI?
    /// Signs offers. Nil without a key.
    let signer: AppleSigningKey?

    var apps: [String] { settings.apps(development) }
    public var verifier: any StoreVerifier { apple }
    public var api: (any StoreAPI)? { serverAPI }
    public var isCalledAnyway: Bool { true }

    /// Of Production where it is served: Sandbox may answer while it does not.
    public var nobodysPurchase: ContractKey? {
        guard serverAPI != nil, let app = apps.first,
            let place = StoreEnvironment.ofStores.first(where: settings.environments.contains)
        else { return nil }
        return ContractKey(provider: .apple, environment: place, app: app, lineage: "0")
    }

    public var rootsEnd: Instant? {
        apple.roots.certificates.compactMap { CertificateSummary(der: $0)?.validity.upperBound }.min()
    }

    public var history: HistorySource? {
        serverAPI.map { api in
            let environments = StoreEnvironment.ofStores.filter(settings.environments.contains)
            let lists = apps.flatMap { app in environments.map { api.history(of: app, in: $0) } }
            let isStandIn = settings.isStandIn(development)
            return HistorySource(words: AppleServerAPI.historyWords, lists: lists, isStandIn: isStandIn)
        }
    }
}

extension AppleStore {
    public func open(_ dependencies: StoreDependencies) throws(StoreError) -> OpenAppleStore? {
        guard let verifier = try verifier(dependencies) else { return nil }
        var unwatched = dependencies
        unwatched.observer = { _ in }
        return OpenAppleStore(
            settings: self,
            development: dependencies.development,
            apple: verifier,
            serverAPI: serverAPI(verifier, dependencies: dependencies),
            isSilent: dependencies.isSilent,
            lookupAPI: serverAPI(verifier, timeout: PurchaseLookup.patience, dependencies: unwatched),
            signer: signer(dependencies.development)
        )
    }

    /// Nil when no app is configured.
    func verifier(_ dependencies: StoreDependencies) throws(StoreError) -> AppleVerifier? {
        guard !bundles.isEmpty else { return nil }
        let roots = try roots(dependencies.development)
        var verifier = try AppleVerifier(
            bundleIDs: bundles,
            appIDs: appIDs,
            environments: environments,
            roots: roots,
            acceptsXcode: dependencies.development != nil,
            catalog: dependencies.catalog,
            timed: dependencies.timed
        )
        verifier.forwards = dependencies.forwards
        return verifier
    }

    func apps(_ development: StoreDevelopment?) -> [String] {
        switch bundles {
        case .any: [development?.app].compactMap(\.self)
        case .only(let names): names.sorted()
        }
    }

    /// For the first app, in the environments that are served. Nil without an app or a key; the stand-in accepts any
    /// key.
    func serverAPI(
        _ verifier: AppleVerifier,
        timeout: Duration = .seconds(10),
        dependencies: StoreDependencies
    ) -> AppleServerAPI? {
        let development = dependencies.development
        guard let app = apps(development).first, let signer = signer(development) else { return nil }
        return AppleServerAPI(
            key: signer.key,
            keyID: signer.id,
            issuer: signer.issuer,
            app: app,
            verifier: verifier,
            client: dependencies.client(timeout: timeout),
            observer: dependencies.observer
        ) { [self] environment in
            environments.contains(environment) ? address(of: environment, development: development) : nil
        }
    }

    func address(of environment: StoreEnvironment, development: StoreDevelopment?) -> String? {
        guard !isStandIn(development) else { return development?.address().map { "\($0)/\(environment.rawValue)" } }
        return apiURL ?? AppleServerAPI.addresses[environment]
    }

    fileprivate func isStandIn(_ development: StoreDevelopment?) -> Bool {
        development != nil && serverKey == nil && apiURL == nil
    }

    /// In development, a key that only the stand-in accepts.
    private func signer(_ development: StoreDevelopment?) -> AppleSigningKey? {
        if let serverKey {
            // Cannot fail: the settings have been checked with it.
            let key = try? PrivateKey(pem: serverKey.key.value)
            return key.map { AppleSigningKey(key: $0, id: serverKey.id, issuer: serverKey.issuer) }
        }
        guard development != nil, let key = try? PrivateKey.generate(.p256) else { return nil }
        return AppleSigningKey(key: key, id: "DEVELOPMENT", issuer: "development")
    }
}

extension SettingsReader {
    mutating func appleEnvironments() -> Set<StoreEnvironment> {
        guard given("PAYCAST_APPLE_ENVIRONMENTS") != nil else { return [.production, .sandbox] }
        let unsigned = ["Xcode", "LocalTesting"]
        let served = Dictionary(uniqueKeysWithValues: StoreEnvironment.ofStores.map { ($0.rawValue, $0) })
        let names = list("PAYCAST_APPLE_ENVIRONMENTS", expected: "Production or Sandbox") {
            served[$0] != nil || unsigned.contains($0)
        }
        for name in names where unsigned.contains(name) {
            let why = "\(name) is never served: Apple does not sign it"
            let instead = name == "Xcode" ? "; paycast serve --dev takes what Xcode signs, without a setting" : ""
            reject("PAYCAST_APPLE_ENVIRONMENTS", because: why + instead)
        }
        return Set(names.compactMap { served[$0] })
    }

    /// One for each bundle id, by its place in the list.
    mutating func appleAppIDs(of bundles: [String]) -> AppleVerifier.AppIDs {
        let name = "PAYCAST_APPLE_APP_ID"
        let ids = list(name, expected: "a numeric app id such as 1234567890") { (Int64($0) ?? 0) > 0 }
            .compactMap { Int64($0) }
        guard !ids.isEmpty else { return .any }
        guard !bundles.isEmpty else { return .only(Set(ids)) }
        if ids.count > bundles.count {
            let counts = "\(ids.count) app ids for \(bundles.count) bundle ids"
            reject(name, because: "has \(counts): one for each, in the same order")
        }
        for bundle in bundles.dropFirst(ids.count) {
            warn("\(bundle) is not served in Production: PAYCAST_APPLE_APP_ID has no app id for it")
        }
        return .each(Dictionary(zip(bundles, ids)) { first, _ in first })
    }

    /// Outside development, Production needs an app id: without one, every app that shares the bundle id would count.
    mutating func requireAppleAppID(of bundles: [String], in environments: Set<StoreEnvironment>) {
        let name = "PAYCAST_APPLE_APP_ID"
        guard environments.contains(.production), !bundles.isEmpty, !isDevelopment, given(name) == nil else { return }
        reject(name, because: "is required when Production is served: the numeric Apple ID of the app")
    }

    mutating func appleOpenOffers() -> Set<String> {
        let offers = list(RequestedAppleOffer.setting, expected: "PRODUCT:OFFER") { item in
            item.split(separator: ":", omittingEmptySubsequences: false).count == 2 && !item.hasPrefix(":")
                && !item.hasSuffix(":")
        }
        return Set(offers)
    }

    mutating func appleRoots() -> String? {
        guard let given = given("PAYCAST_APPLE_ROOTS") else { return nil }
        if access(given.value, R_OK) != 0 { reject(given.name, because: "\(quoted(given.value)) cannot be read") }
        warn("PAYCAST_APPLE_ROOTS replaces Apple's own roots")
        return given.value
    }

    /// All three settings, or none.
    mutating func appleServerKey() -> AppleStore.ServerKey? {
        let names = ["PAYCAST_APPLE_API_KEY", "PAYCAST_APPLE_API_KEY_ID", "PAYCAST_APPLE_API_ISSUER_ID"]
        let values = names.compactMap { given($0)?.value }
        guard values.count == names.count else {
            for name in names where !values.isEmpty && given(name) == nil {
                reject(name, because: "is missing: the three \(names[0])… settings belong together")
            }
            return nil
        }
        guard let key = textOrContents(of: values[0]) else {
            reject(names[0], because: "is neither a PEM key nor a file that can be read")
            return nil
        }
        guard let parsed = try? PrivateKey(pem: key), parsed.curve == .p256 else {
            reject(names[0], because: "is not a P-256 key in PEM, as App Store Connect gives it")
            return nil
        }
        return .init(key: Secret(key), id: values[1], issuer: values[2])
    }
}
