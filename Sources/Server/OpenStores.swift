import API
public import Domain
public import Simulator
public import Stores
import Support

/// The stores that are configured, with the settings of the last reload.
struct OpenStores: Sendable {
    let opened: [Provider: any OpenStore]
    /// The APIs of the stores for which there is a key.
    let apis: [Provider: any StoreAPI]

    init(_ configuration: Configuration, context: StoreContext) throws(StartError) {
        var opened: [Provider: any OpenStore] = [:]
        for store in configuration.stores {
            let provider = type(of: store).provider
            let dependencies = context.dependencies(of: provider, configuration: configuration)
            opened[provider] = try starting { try store.open(dependencies) }
        }
        self.opened = opened
        apis = opened.compactMapValues(\.api)
    }

    /// What requests are judged by, with these keys.
    func trust(_ authorization: Authorization) -> Services.Trust {
        Services.Trust(authorization, verifiers: opened.mapValues(\.verifier), opened: opened)
    }

    /// Purchases that do not exist, one for each API, and whether the server calls it regularly anyway.
    var nobodysPurchases: [(contract: ContractKey, isCalledAnyway: Bool)] {
        opened.sorted { $0.key.rawValue < $1.key.rawValue }.compactMap { _, store in
            store.nobodysPurchase.map { (contract: $0, isCalledAnyway: store.isCalledAnyway) }
        }
    }
}

/// Everything a store needs to open: the same at the start and at every reload.
struct StoreContext: Sendable {
    let workspace: DevelopmentWorkspace?
    let clock: Clock
    /// Where this server can be reached; nil until it listens.
    let ownAddress: SharedValue<String?>
    let health: StoreHealth
    let storeClock: StoreClock
    let unlisted: UnlistedAccounts
    let log: Log

    func dependencies(of provider: Provider, configuration: Configuration) -> StoreDependencies {
        var dependencies = StoreDependencies(clock: clock.now)
        dependencies.catalog = configuration.accessPolicy.catalog
        dependencies.forwards = configuration.forward
        dependencies.observer = { [health] in health.asked(provider, error: $0) }
        dependencies.keysObserver = { [health] in health.asked(provider, .keys, error: $0) }
        // A development server's clock is moved, and its stores are stand-ins.
        if workspace == nil { dependencies.timed = { [storeClock] in storeClock.told(provider, $0) } }
        dependencies.isSilent = { [health] in health.isSilent(provider) }
        dependencies.report = { [log] in
            log.warning("store not read", fields: ["provider": provider.rawValue, "reason": $0])
        }
        dependencies.unlisted = unlisted.ignored
        dependencies.development = workspace.map { [ownAddress] in
            StoreDevelopment(of: provider, in: $0, server: { ownAddress.value })
        }
        return dependencies
    }
}

extension StoreDevelopment {
    /// `server` returns where the development server listens; nil until it does.
    public init(
        of provider: Provider,
        in workspace: DevelopmentWorkspace,
        server: @escaping @Sendable () -> String?
    ) {
        self.init { server().map { "\($0)/demo/api/\(provider.rawValue)" } }
        secret = workspace.storeSecrets[provider]
        switch provider {
        case .apple:
            app = SimulatedAppStore.bundleID
            root = workspace.root
        case .google:
            app = SimulatedGooglePlay.package
            account = (
                name: SimulatedGooglePlay.serviceAccount,
                keyID: SimulatedGooglePlay.keyID,
                key: workspace.google,
                audience: SimulatedGooglePlay.audience,
                pushAccount: SimulatedGooglePlay.pushAccount
            )
        default: break
        }
    }
}
