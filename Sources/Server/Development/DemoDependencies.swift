import Crypto
public import Domain
import Ledger
import Pages
public import Simulator
public import Stores

/// The parts of the server that the demo uses, and the settings that show on its page.
struct DemoDependencies {
    var workspace: DevelopmentWorkspace
    var writer: LedgerWriter
    var reader: LedgerReader
    var templates: TemplateLoader
    var streams: StreamPattern
    /// The bearer key that the simulated stores use.
    var apiKey: String
    var streamNames: StreamNameVerifier?
    /// The apps that the simulated stores sell for, where the settings name one.
    var apps: [Provider: String]
    var publicFolder: String?
    /// Pages reach this server over TLS, without a proxy in front.
    var isSecure: Bool
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
            account = Account(
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
