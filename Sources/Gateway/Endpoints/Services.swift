public import Domain
public import Fragments
public import Ledger
public import Providers
public import Runtime

/// What the endpoints work with; built by the server.
public struct Services: Sendable {
    /// Pages reach this server over TLS, without a proxy in front.
    public var isSecure: Bool
    public var access: Access
    public var apple: AppleVerifier?
    public var writer: LedgerWriter
    public var reader: LedgerReader
    public var templates: TemplateStore
    public var streams: StreamPattern
    public var epoch: String
    public var clock: Clock
    public var log: Log
    public var metrics: Metrics
    public var telemetry: Telemetry
    /// Signatures are checked here, never on a loop.
    public var verifiers: WorkerPool
    /// Hands a transient broadcast to all loops.
    public var publish: @Sendable ([Publication]) -> Void
    /// Nil when the public folder does not exist.
    public var publicFolder: String?
    /// The demo's own routes, in development only.
    public var development: (any DevelopmentRoutes)?
    /// Why the server is not ready, when it is not.
    public var problems: @Sendable () -> [String]

    public init(
        isSecure: Bool,
        access: Access,
        apple: AppleVerifier?,
        writer: LedgerWriter,
        reader: LedgerReader,
        templates: TemplateStore,
        streams: StreamPattern,
        epoch: String,
        clock: Clock,
        log: Log,
        metrics: Metrics,
        telemetry: Telemetry,
        verifiers: WorkerPool,
        publish: @escaping @Sendable ([Publication]) -> Void,
        publicFolder: String?,
        development: (any DevelopmentRoutes)?,
        problems: @escaping @Sendable () -> [String]
    ) {
        self.isSecure = isSecure
        self.access = access
        self.apple = apple
        self.writer = writer
        self.reader = reader
        self.templates = templates
        self.streams = streams
        self.epoch = epoch
        self.clock = clock
        self.log = log
        self.metrics = metrics
        self.telemetry = telemetry
        self.verifiers = verifiers
        self.publish = publish
        self.publicFolder = publicFolder
        self.development = development
        self.problems = problems
    }
}

/// Routes that exist in development only.
public protocol DevelopmentRoutes: Sendable {
    /// Nil: not one of them.
    func answer(_ request: Request) -> Answer?
}
