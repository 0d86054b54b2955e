public import APIModel
public import Concurrency
public import Domain
public import GoogleStore
public import HTTPMessages
public import Hub
public import Ledger
public import Observability
public import StoreInterface
public import TurboStreams

/// What the endpoints work with; the server builds it. It is a class because every request passes it on, and copying
/// all of its members would take 2 µs.
public final class Services: Sendable {
    /// Pages reach this server over TLS, without a proxy in between.
    public let isSecure: Bool
    private let trust: Current<Trust>
    /// All that Paycast knows, served or not.
    public let stores: [Provider]
    /// Whose history can be fetched.
    public let recoveries: [Provider: any HistoryRecovery]
    public let writer: LedgerWriter
    public let reader: LedgerReader
    public let templates: TemplateStore
    public let streams: StreamPattern
    public let epoch: String
    public let clock: Clock
    public let log: Log
    public let metrics: Metrics
    public let telemetry: WebhookTelemetry
    let refusals: Refusals
    /// These threads check signatures; a loop never does.
    public let workers: WorkerPool
    /// The threads that may wait for a store's API.
    public let blockingPools: BlockingPools
    /// Hands transient messages to all loops.
    public let broadcast: @Sendable ([Message]) -> Void
    /// Nil when the public folder does not exist.
    public let publicFolder: String?
    /// The demo's own routes; nil outside of development.
    public let development: (any DevelopmentRoutes)?
    /// Whether the server is ready, for probes. The answer comes on another thread. Returns false if too many probes
    /// wait.
    public let readiness: @Sendable (@escaping @Sendable (Readiness) -> Void) -> Bool
    let runningRecoveries = RunningRecoveries()
    /// Shared by all loops: a page may reconnect to another one.
    let endedNames = ExpiredNameThrottle()

    public init(
        isSecure: Bool,
        stores: [Provider],
        access: Access,
        verifiers: [Provider: any StoreVerifier],
        recoveries: [Provider: any HistoryRecovery],
        apple: AppleServices?,
        google: GoogleReader?,
        writer: LedgerWriter,
        reader: LedgerReader,
        templates: TemplateStore,
        streams: StreamPattern,
        epoch: String,
        clock: Clock,
        log: Log,
        metrics: Metrics,
        telemetry: WebhookTelemetry,
        workers: WorkerPool,
        blockingPools: BlockingPools,
        broadcast: @escaping @Sendable ([Message]) -> Void,
        publicFolder: String?,
        development: (any DevelopmentRoutes)?,
        readiness: @escaping @Sendable (@escaping @Sendable (Readiness) -> Void) -> Bool
    ) {
        self.isSecure = isSecure
        self.stores = stores
        trust = Current(Trust(access: access, verifiers: verifiers, apple: apple, google: google))
        self.recoveries = recoveries
        self.writer = writer
        self.reader = reader
        self.templates = templates
        self.streams = streams
        self.epoch = epoch
        self.clock = clock
        self.log = log
        self.metrics = metrics
        self.telemetry = telemetry
        refusals = Refusals(stores: stores, metrics: metrics, log: log)
        self.workers = workers
        self.blockingPools = blockingPools
        self.broadcast = broadcast
        self.publicFolder = publicFolder
        self.development = development
        self.readiness = readiness
    }

    /// Whom the server trusts; a reload replaces all of it at once. It is a class because every request reads it, and
    /// copying it would touch 22 reference counts.
    private final class Trust: Sendable {
        let access: Access
        let verifiers: [Provider: any StoreVerifier]
        let apple: AppleServices?
        let google: GoogleReader?

        init(
            access: Access,
            verifiers: [Provider: any StoreVerifier],
            apple: AppleServices?,
            google: GoogleReader?
        ) {
            self.access = access
            self.verifiers = verifiers
            self.apple = apple
            self.google = google
        }
    }

    public var access: Access { trust.value.access }
    /// The verifiers of the webhooks that are served.
    public var verifiers: [Provider: any StoreVerifier] { trust.value.verifiers }
    /// Nil if no Apple app is configured.
    public var apple: AppleServices? { trust.value.apple }

    /// Nil if no Google app is configured.
    public var google: GoogleReader? { trust.value.google }

    /// New requests are judged by these values; requests in progress keep the old ones.
    public func replace(
        access: Access,
        verifiers: [Provider: any StoreVerifier],
        apple: AppleServices?,
        google: GoogleReader?
    ) {
        trust.replace(with: Trust(access: access, verifiers: verifiers, apple: apple, google: google))
    }
}

/// Routes that exist in development only.
public protocol DevelopmentRoutes: Sendable {
    /// Returns nil if the request is for none of these routes.
    func answer(_ request: Request) -> Answer?
}
