internal import Concurrency
internal import Development
internal import Domain
internal import Observability
internal import Simulator
internal import StoreInterface

/// What a store needs to open: the same at the start and at every reload.
struct StoreContext: Sendable {
    let workspace: DevelopmentWorkspace?
    let clock: Clock
    /// Where this server can be reached; nil until it listens.
    let ownAddress: SharedValue<String?>
    let health: StoreHealth
    let log: Log

    init(_ core: ServerCore, ownAddress: SharedValue<String?>, health: StoreHealth) {
        workspace = core.keys.workspace
        clock = core.clock
        self.ownAddress = ownAddress
        self.health = health
        log = core.log
    }

    func dependencies(of provider: Provider, configuration: Configuration) -> StoreDependencies {
        StoreDependencies(
            catalog: configuration.accessPolicy.catalog,
            clock: clock.now,
            witness: { [health] in health.asked(provider, error: $0) },
            report: { [log] in log.warning("store not read", fields: ["provider": provider.rawValue, "reason": $0]) },
            development: workspace.map { [ownAddress] in
                StoreDevelopment(of: provider, in: $0, server: { ownAddress.value })
            }
        )
    }
}
