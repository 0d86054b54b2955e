internal import Concurrency
public import Domain
internal import Observability
public import Simulator
public import StoreInterface

/// What stores are opened in: the same at the start and at every reload.
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

extension StoreDevelopment {
    /// `server` is where the development server listens; nil as long as it does not.
    public init(
        of provider: Provider,
        in workspace: DevelopmentWorkspace,
        server: @escaping @Sendable () -> String?
    ) {
        self.init { server().map { "\($0)/demo/api/\(provider.rawValue)" } }
        switch provider {
        case .apple:
            app = SimulatedAppStore.bundleID
            root = workspace.root
        case .google:
            app = SimulatedGooglePlay.package
            account = Account(
                name: SimulatedGooglePlay.serviceAccount,
                keyID: SimulatedGooglePlay.keyID,
                key: workspace.google,
                audience: SimulatedGooglePlay.audience,
                pushAccount: SimulatedGooglePlay.pushAccount
            )
        case .stripe: secret = workspace.storeSecrets.stripe
        case .revenuecat: secret = workspace.storeSecrets.revenueCat
        case .purchasekit: secret = workspace.storeSecrets.purchaseKit
        default: break
        }
    }
}
