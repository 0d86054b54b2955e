internal import Domain
internal import Gateway
internal import Providers

/// What is built for each store that is configured.
struct StoreParts {
    let apple: AppleVerifier?
    let appleServices: AppleServices?
    let verifiers: [Provider: any StoreVerifier]

    init(_ configuration: Configuration, _ keys: Keys) throws(StartError) {
        let appleConfiguration = try StoreParts.apple(configuration.apple, keys)
        apple = appleConfiguration.map { AppleVerifier($0) }
        appleServices = StoreParts.appleServices(appleConfiguration, apple, configuration.accessPolicy.catalog)
        var verifiers: [Provider: any StoreVerifier] = [:]
        verifiers[.apple] = apple
        self.verifiers = verifiers
    }

    private static func appleServices(
        _ configuration: AppleConfiguration?,
        _ verifier: AppleVerifier?,
        _ catalog: Catalog
    ) -> AppleServices? {
        guard let configuration, let verifier else { return nil }
        let receipts = AppleReceiptVerifier(configuration, catalog: catalog)
        return AppleServices(transactions: verifier, receipts: receipts, statements: nil)
    }

    private static func apple(_ apple: Configuration.Apple, _ keys: Keys) throws(StartError) -> AppleConfiguration? {
        let bundles: AppleConfiguration.Accepted<String>
        switch apple.bundles {
        case .none: return nil
        case .any: bundles = .any
        case .only(let names): bundles = .only(names)
        }
        let roots = try keys.appleRoots(apple.rootsPath)
        do throws(AppleConfigurationError) {
            return try AppleConfiguration(
                bundleIDs: bundles,
                appIDs: apple.appID.map { .only([$0]) } ?? .any,
                environments: apple.environments,
                roots: roots
            )
        } catch {
            throw .apple(error)
        }
    }
}
