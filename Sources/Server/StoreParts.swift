internal import Domain
internal import Gateway
internal import Providers
internal import Simulator

/// What is built for each store that is configured.
struct StoreParts {
    let apple: AppleVerifier?
    let appleServices: AppleServices?
    let stripe: StripeParts?
    let verifiers: [Provider: any StoreVerifier]

    init(_ configuration: Configuration, _ keys: Keys) throws(StartError) {
        apple = try StoreParts.apple(configuration.apple, keys)
        appleServices = StoreParts.appleServices(apple, configuration.accessPolicy.catalog)
        var verifiers: [Provider: any StoreVerifier] = [:]
        verifiers[.apple] = apple
        stripe = StoreParts.stripe(configuration, keys)
        verifiers[.stripe] = stripe?.verifier
        self.verifiers = verifiers
    }

    /// The stores' APIs in the development server.
    static var standIns: [String: any StandIn] { ["stripe": StripeStandIn()] }

    private static func apple(_ apple: Configuration.Apple, _ keys: Keys) throws(StartError) -> AppleVerifier? {
        let bundles: AppleConfiguration.Accepted<String>
        switch apple.bundles {
        case .none: return nil
        case .any: bundles = .any
        case .only(let names): bundles = .only(names)
        }
        let roots = try keys.appleRoots(apple.rootsPath)
        do throws(AppleConfigurationError) {
            return AppleVerifier(
                try AppleConfiguration(
                    bundleIDs: bundles,
                    appIDs: apple.appID.map { .only([$0]) } ?? .any,
                    environments: apple.environments,
                    roots: roots
                )
            )
        } catch {
            throw .apple(error)
        }
    }
}
