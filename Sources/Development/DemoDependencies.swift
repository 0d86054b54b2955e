public import Crypto
public import Domain
public import Ledger
public import Pages
public import Simulator
public import Stores

/// The parts of the server that the demo uses, and the settings that show on its page.
public struct DemoDependencies {
    public var workspace: DevelopmentWorkspace
    public var writer: LedgerWriter
    public var reader: LedgerReader
    public var templates: TemplateLoader
    public var streams: StreamPattern
    /// The bearer key that the simulated stores use.
    public var apiKey: String
    public var streamNames: StreamNameVerifier?
    /// The apps that the simulated stores sell for, where the settings name one.
    public var apps: [Provider: String]
    public var publicFolder: String?
    /// Pages reach this server over TLS, without a proxy in front.
    public var isSecure: Bool

    public init(
        workspace: DevelopmentWorkspace,
        writer: LedgerWriter,
        reader: LedgerReader,
        templates: TemplateLoader,
        streams: StreamPattern,
        apiKey: String,
        streamNames: StreamNameVerifier?,
        apps: [Provider: String],
        publicFolder: String?,
        isSecure: Bool
    ) {
        self.workspace = workspace
        self.writer = writer
        self.reader = reader
        self.templates = templates
        self.streams = streams
        self.apiKey = apiKey
        self.streamNames = streamNames
        self.apps = apps
        self.publicFolder = publicFolder
        self.isSecure = isSecure
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
