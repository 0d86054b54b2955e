internal import API
internal import Concurrency
internal import Domain
internal import Errands
internal import Observability
internal import Providers
internal import Simulator
internal import Stores

/// What is built for each store that is configured.
struct StoreParts {
    let apple: AppleVerifier?
    let appleServices: AppleServices?
    let appleParts: AppleParts?
    let google: GoogleParts?
    let verifiers: [Provider: any StoreVerifier]

    /// The stores' APIs, for those that have a key: asked before an end is believed, told what is to be done.
    let apis: [Provider: any StoreAPI]
    /// The stores' APIs in the development server.
    let standIns: [String: any StandIn]

    init(
        _ configuration: Configuration,
        _ keys: Keys,
        _ clock: Clock,
        _ own: OwnAddress,
        _ health: StoreHealth,
        _ log: Log
    ) throws(StartError) {
        let stores = StoreAPIs(configuration, workspace: keys.workspace, witness: health.asked) { own.value }
        let stripe = StoreParts.stripe(configuration, keys, stores, log)
        apple = try StoreParts.apple(configuration.apple, keys, configuration.accessPolicy.catalog)
        appleParts = StoreParts.appleParts(configuration.apple.environments, apple, stores)
        appleServices = StoreParts.appleServices(apple, appleParts)
        var verifiers: [Provider: any StoreVerifier] = [:]
        verifiers[.stripe] = stripe?.verifier
        let google = StoreParts.google(configuration, keys, clock, stores, log)
        verifiers[.google] = google?.verifier
        self.google = google
        verifiers[.apple] = apple.map { ForwardingVerifier($0, to: configuration.forward) }
        verifiers[.revenuecat] = StoreParts.revenueCat(configuration, keys)
        verifiers[.purchasekit] = StoreParts.purchaseKit(configuration, keys)
        self.verifiers = verifiers
        var apis: [Provider: any StoreAPI] = [:]
        apis[.apple] = appleParts?.api
        apis[.stripe] = stripe?.api
        apis[.google] = google?.api
        self.apis = apis
        var standIns: [String: any StandIn] = [:]
        standIns["stripe"] = StripeStandIn()
        standIns["google"] = keys.workspace.map { GoogleStandIn(key: $0.google) }
        standIns["apple"] = StoreParts.appleStandIn(keys, clock, own)
        self.standIns = standIns
    }

    private static func apple(
        _ apple: Configuration.Apple,
        _ keys: Keys,
        _ catalog: Catalog
    ) throws(StartError) -> AppleVerifier? {
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
                    appIDs: apple.appIDs,
                    environments: apple.environments,
                    roots: roots,
                    catalog: catalog
                )
            )
        } catch {
            throw .apple(error)
        }
    }
}
