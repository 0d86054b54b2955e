internal import Concurrency
internal import Development
internal import Domain
internal import Observability
internal import Simulator
internal import StoreInterface

/// What stores need in order to open: the same at the start and at every reload.
struct StoreContext: Sendable {
    let workspace: DevelopmentWorkspace?
    let clock: Clock
    let own: OwnAddress
    let health: StoreHealth
    let log: Log

    func surroundings(of provider: Provider, _ configuration: Configuration) -> StoreSurroundings {
        StoreSurroundings(
            catalog: configuration.accessPolicy.catalog,
            clock: clock.now,
            witness: { [health] in health.asked(provider, $0) },
            report: { [log] in log.warning("store not read", ["provider": provider.rawValue, "reason": $0]) },
            development: workspace.map { [own] in
                StoreDevelopment(of: provider, in: $0, server: { own.value })
            }
        )
    }
}
