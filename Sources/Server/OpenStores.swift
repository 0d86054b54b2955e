internal import Domain
internal import Jobs
internal import StoreInterface

/// The stores that are configured, with the settings of the last reload.
struct OpenStores: Sendable {
    let opened: [Provider: any OpenStore]
    /// The verifiers of webhooks.
    let verifiers: [Provider: any StoreVerifier]
    /// The APIs of the stores for which there is a key.
    let apis: [Provider: any StoreAPI]

    init(_ configuration: Configuration, context: StoreContext) throws(StartError) {
        var opened: [Provider: any OpenStore] = [:]
        var verifiers: [Provider: any StoreVerifier] = [:]
        for store in configuration.stores {
            let provider = type(of: store).provider
            do throws(StoreError) {
                let dependencies = context.dependencies(of: provider, configuration: configuration)
                guard let open = try store.opened(dependencies) else { continue }
                opened[provider] = open
                verifiers[provider] =
                    type(of: store).isForwarded
                    ? ForwardingVerifier(open.verifier, to: configuration.forward) : open.verifier
            } catch {
                throw .store(error)
            }
        }
        self.opened = opened
        self.verifiers = verifiers
        apis = opened.compactMapValues(\.api)
    }

    /// Purchases that do not exist, one for each API that the server does not call regularly anyway.
    var nobodysPurchases: [ContractKey] {
        opened.values.compactMap(\.nobodysPurchase).sorted { $0.provider.rawValue < $1.provider.rawValue }
    }
}

extension Store {
    fileprivate func opened(_ dependencies: StoreDependencies) throws(StoreError) -> (any OpenStore)? {
        try open(dependencies)
    }
}
