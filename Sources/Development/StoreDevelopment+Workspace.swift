public import Domain
public import Simulator
public import Stores

extension StoreDevelopment {
    /// `server` returns where the development server listens; nil until it does.
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
