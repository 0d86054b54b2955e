internal import Domain
internal import Providers

/// What is built for each store that is configured.
struct StoreParts {
    let apple: AppleVerifier?
    let verifiers: [Provider: any StoreVerifier]

    init(_ configuration: Configuration, _ keys: Keys) throws(StartError) {
        apple = try StoreParts.apple(configuration.apple, keys)
        var verifiers: [Provider: any StoreVerifier] = [:]
        verifiers[.apple] = apple
        verifiers[.revenuecat] = StoreParts.revenueCat(configuration, keys)
        verifiers[.purchasekit] = StoreParts.purchaseKit(configuration, keys)
        self.verifiers = verifiers
    }

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
