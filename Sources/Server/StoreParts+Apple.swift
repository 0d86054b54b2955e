internal import Crypto
internal import Domain
internal import Errands
internal import HTTPClient
internal import Providers
internal import Runtime
internal import Simulator
internal import Stores

/// Whom Paycast is at Apple, and which of Apple's histories are its own.
struct AppleParts {
    let api: AppleServerAPI
    let places: [Recovery.Place]
    /// The answers come from this development server itself.
    let isStandIn: Bool
}

extension StoreParts {
    /// Nil without a key. In development a throw-away key opens the stand-in, unless another address is given.
    static func appleParts(
        _ configuration: Configuration,
        _ verifier: AppleVerifier?,
        _ own: OwnAddress
    ) -> AppleParts? {
        let apple = configuration.apple
        guard let verifier else { return nil }
        let apps = StoreParts.apps(apple.bundles)
        guard let key = try? StoreParts.key(apple, configuration.isDevelopment), let first = apps.first else {
            return nil
        }
        let isStandIn = apple.serverKey == nil && apple.apiURL == nil
        let given = apple.apiURL
        let environments = apple.environments
        let api = AppleServerAPI(
            key: key,
            keyID: apple.serverKey?.id ?? "DEVELOPMENT",
            issuer: apple.serverKey?.issuer ?? "development",
            app: first,
            verifier: verifier,
            client: HTTPClient(timeout: .seconds(10))
        ) { environment in
            guard environments.contains(environment) else { return nil }
            guard !isStandIn else { return own.value.map { "\($0)/demo/api/apple/\(environment.rawValue)" } }
            return given ?? AppleServerAPI.addresses[environment]
        }
        let places = apps.flatMap { app in
            StoreEnvironment.allCases.filter(environments.contains).map { Recovery.Place(app: app, environment: $0) }
        }
        return AppleParts(api: api, places: places, isStandIn: isStandIn)
    }

    /// Apple's API in the development server, which posts its test notifications to this server.
    static func appleStandIn(_ keys: Keys, _ clock: Clock, _ own: OwnAddress) -> AppleStandIn? {
        keys.workspace.map { workspace in
            AppleStandIn(signer: workspace.signer, now: clock.now) { own.value.map { "\($0)/webhooks/apple" } }
        }
    }

    private static func apps(_ bundles: Configuration.Apple.Bundles) -> [String] {
        switch bundles {
        case .none: []
        case .any: [SimulatedAppStore.bundleID]
        case .only(let names): names.sorted()
        }
    }

    /// The configuration has read the given key already.
    private static func key(
        _ apple: Configuration.Apple,
        _ isDevelopment: Bool
    ) throws(CryptoError) -> PrivateKey? {
        if let given = apple.serverKey { return try PrivateKey(pem: given.key.value) }
        return isDevelopment ? try PrivateKey.generate(.p256) : nil
    }
}
