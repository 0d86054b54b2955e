internal import Crypto
public import Domain
internal import HTTPClient
internal import Support

/// The App Store with its settings in force.
public struct OpenAppleStore: OpenStore {
    /// Verifies notifications, and what apps post.
    let apple: AppleVerifier
    /// Verifies the receipts of old versions of an app.
    let receipts: AppleReceiptVerifier
    /// Nil without a key.
    let serverAPI: AppleServerAPI?
    /// Signs offers. Nil without a key.
    let signer: AppleSigningKey?
    /// The offers that apps may ask for, as `PRODUCT:OFFER`.
    let openOffers: Set<String>
    /// The apps whose notification history is fetched.
    let apps: [String]
    /// The environments whose notification history is fetched.
    let environments: [StoreEnvironment]
    /// True when the development server's own stand-in answers for the store.
    let isStandIn: Bool

    public var verifier: any StoreVerifier { apple }
    public var api: (any StoreAPI)? { serverAPI }

    public var rootsEnd: Instant? {
        apple.configuration.roots.certificates.compactMap { CertificateSummary(der: $0)?.validity.upperBound }.min()
    }

    public var history: HistorySource? {
        serverAPI.map { api in
            let lists = apps.flatMap { app in environments.map { AppleHistory(of: app, in: $0, api: api) } }
            return HistorySource(lists, words: AppleHistory.words, isStandIn: isStandIn)
        }
    }
}

extension AppleStore {
    public func open(_ dependencies: StoreDependencies) throws(StoreError) -> OpenAppleStore? {
        guard let verifier = try verifier(dependencies) else { return nil }
        return OpenAppleStore(
            apple: verifier,
            receipts: AppleReceiptVerifier(beside: verifier),
            serverAPI: serverAPI(verifier, client: HTTPClient(timeout: .seconds(10)), dependencies: dependencies),
            signer: signer(dependencies.development),
            openOffers: openOffers,
            apps: apps(dependencies.development),
            environments: StoreEnvironment.ofStores.filter(environments.contains),
            isStandIn: isStandIn(dependencies.development)
        )
    }

    /// Nil when no app is configured.
    func verifier(_ dependencies: StoreDependencies) throws(StoreError) -> AppleVerifier? {
        guard !bundles.isEmpty else { return nil }
        let roots = try roots(dependencies.development)
        do throws(AppleConfigurationError) {
            return AppleVerifier(
                try AppleConfiguration(
                    bundleIDs: bundles,
                    appIDs: appIDs,
                    environments: environments,
                    roots: roots,
                    acceptsXcode: dependencies.development != nil,
                    catalog: dependencies.catalog
                )
            )
        } catch {
            throw StoreError(error.description)
        }
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
        client: HTTPClient,
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
            client: client,
            observer: dependencies.observer
        ) { [self] environment in
            environments.contains(environment) ? address(of: environment, development: development) : nil
        }
    }

    func address(of environment: StoreEnvironment, development: StoreDevelopment?) -> String? {
        guard !isStandIn(development) else { return development?.address().map { "\($0)/\(environment.rawValue)" } }
        return apiURL ?? AppleServerAPI.addresses[environment]
    }

    private func isStandIn(_ development: StoreDevelopment?) -> Bool {
        development != nil && serverKey == nil && apiURL == nil
    }

    /// In development, a key that only the stand-in accepts.
    private func signer(_ development: StoreDevelopment?) -> AppleSigningKey? {
        guard let key = try? key(development) else { return nil }
        return AppleSigningKey(
            key: key,
            id: serverKey?.id ?? "DEVELOPMENT",
            issuer: serverKey?.issuer ?? "development"
        )
    }

    /// Cannot fail for a configured key: the settings have been checked with it.
    private func key(_ development: StoreDevelopment?) throws(CryptoError) -> PrivateKey? {
        if let serverKey { return try PrivateKey(pem: serverKey.key.value) }
        return development == nil ? nil : try PrivateKey.generate(.p256)
    }
}
