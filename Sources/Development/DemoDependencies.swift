public import Crypto
public import Domain
public import Ledger
public import Pages
public import Simulator

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
