internal import Crypto
public import Domain
public import HTTPClient
public import Providers
public import Simulator
public import Stores

/// The stores' APIs: where they are, and with which keys they are asked. In development the server's own stand-ins and
/// the workspace's keys take the place of what is not set. The server asks them, and doctor whether they can be asked.
public struct StoreAPIs: Sendable {
    let configuration: Configuration
    /// Nil in production.
    private let workspace: DevelopmentWorkspace?
    private let ownAddress: @Sendable () -> String?
    private let witness: @Sendable (Provider, StoreAPIError?) -> Void

    /// `ownAddress` is where the development server listens; nil as long as it does not. `witness` is told how every call
    /// ended.
    public init(
        _ configuration: Configuration,
        workspace: DevelopmentWorkspace?,
        witness: @escaping @Sendable (Provider, StoreAPIError?) -> Void = { _, _ in },
        ownAddress: @escaping @Sendable () -> String?
    ) {
        self.configuration = configuration
        self.workspace = workspace
        self.ownAddress = ownAddress
        self.witness = witness
    }

    /// Where the development server answers in a store's place.
    func standIn(_ store: String) -> String? {
        workspace == nil ? nil : ownAddress().map { "\($0)/demo/api/\(store)" }
    }

    // MARK: Apple

    /// The apps whose purchases are asked for.
    public var appleApps: [String] {
        switch configuration.apple.bundles {
        case .none: []
        case .any: [SimulatedAppStore.bundleID]
        case .only(let names): names.sorted()
        }
    }

    var isAppleStandIn: Bool {
        workspace != nil && configuration.apple.serverKey == nil && configuration.apple.apiURL == nil
    }

    public func appleAddress(_ environment: StoreEnvironment) -> String? {
        guard !isAppleStandIn else { return standIn("apple").map { "\($0)/\(environment.rawValue)" } }
        return configuration.apple.apiURL ?? AppleServerAPI.addresses[environment]
    }

    /// Of the first app, in the environments that are served. Nil without an app or a key; any key opens the stand-in.
    public func apple(_ verifier: AppleVerifier, _ client: HTTPClient) -> AppleServerAPI? {
        let apple = configuration.apple
        guard let app = appleApps.first, let key = try? appleKey() else { return nil }
        return AppleServerAPI(
            key: key,
            keyID: apple.serverKey?.id ?? "DEVELOPMENT",
            issuer: apple.serverKey?.issuer ?? "development",
            app: app,
            verifier: verifier,
            client: client,
            witness: { [witness] in witness(.apple, $0) }
        ) { [self] environment in
            apple.environments.contains(environment) ? appleAddress(environment) : nil
        }
    }

    /// The configuration has read the given key already.
    private func appleKey() throws(CryptoError) -> PrivateKey? {
        if let given = configuration.apple.serverKey { return try PrivateKey(pem: given.key.value) }
        return workspace == nil ? nil : try PrivateKey.generate(.p256)
    }

    // MARK: Google and Stripe

    /// Nil without a service account.
    public func google(clock: @escaping @Sendable () -> Instant) -> GooglePlayAPI? {
        let apiURL = configuration.google.apiURL
        let given = configuration.google.credentials.flatMap { GoogleCredentials(json: $0.value) }
        guard given != nil || workspace != nil else { return nil }
        let address: @Sendable () -> String? = { [self] in
            apiURL ?? (given == nil ? standIn("google") : GooglePlayAPI.address)
        }
        return GooglePlayAPI(
            catalog: configuration.accessPolicy.catalog,
            witness: { [witness] in witness(.google, $0) },
            clock: clock,
            credentials: { [workspace] in
                if let given { return given }
                guard let workspace, let address = address() else { return nil }
                return GoogleCredentials(
                    account: SimulatedGooglePlay.serviceAccount,
                    keyID: SimulatedGooglePlay.keyID,
                    key: workspace.google,
                    tokenAddress: "\(address)/token"
                )
            },
            address: address
        )
    }

    /// Nil without a key.
    public var stripe: StripeAPI? {
        let stripe = configuration.stripe
        return stripe.apiKey.map {
            StripeAPI(
                key: $0.value,
                address: stripe.apiURL,
                catalog: configuration.accessPolicy.catalog,
                witness: { [witness] in witness(.stripe, $0) }
            )
        }
    }
}
