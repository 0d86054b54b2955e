internal import AppleStore
internal import Domain
internal import Jobs
internal import StoreInterface

/// The stores that are configured, with the settings of the last reload.
struct OpenStores: Sendable {
    private let stores: [Provider: any OpenStore]
    /// The verifiers of webhooks, including the forwarding of Apple's.
    let verifiers: [Provider: any StoreVerifier]
    /// The APIs of the stores for which there is a key.
    let apis: [Provider: any StoreAPI]

    init(_ configuration: Configuration, context: StoreContext) throws(StartError) {
        var stores: [Provider: any OpenStore] = [:]
        for store in configuration.stores {
            let provider = type(of: store).provider
            do throws(StoreError) {
                stores[provider] = try store.opened(context.surroundings(of: provider, configuration: configuration))
            } catch {
                throw .store(error)
            }
        }
        self.stores = stores
        var verifiers = stores.mapValues(\.verifier)
        verifiers[.apple] = verifiers[.apple].map { ForwardingVerifier($0, to: configuration.forward) }
        self.verifiers = verifiers
        apis = stores.compactMapValues(\.api)
    }

    /// Nil when the store is not configured.
    subscript<Wanted: Store>(_ store: Wanted.Type) -> Wanted.Opened? { stores[store.provider] as? Wanted.Opened }

    /// Purchases that do not exist, one for each API that the server does not call regularly anyway.
    var nobodysPurchases: [ContractKey] {
        stores.values.compactMap(\.nobodysPurchase).sorted { $0.provider.rawValue < $1.provider.rawValue }
    }
}

extension Store {
    fileprivate func opened(_ surroundings: StoreSurroundings) throws(StoreError) -> (any OpenStore)? {
        try open(surroundings)
    }
}
