public import Concurrency
public import Domain
public import Gateway
public import GoogleStore
public import Ledger
public import Observability
public import StoreInterface
public import TurboStreams

/// What the endpoints work with; built by the server. A class: it is handed on at every request, and a copy of all its
/// members would cost 2 µs.
public final class Services: Sendable {
    /// Pages reach this server over TLS, without a proxy in front.
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
    public let telemetry: Telemetry
    let refusals: Refusals
    /// Signatures are checked here, never on a loop.
    public let workers: WorkerPool
    /// Who may wait for a store's API.
    public let callers: Callers
    /// Hands a transient broadcast to all loops.
    public let publish: @Sendable ([Publication]) -> Void
    /// Nil when the public folder does not exist.
    public let publicFolder: String?
    /// The demo's own routes, in development only.
    public let development: (any DevelopmentRoutes)?
    /// Whether the server is ready, from probes: the answer comes on another thread. False when too many ask.
    public let readiness: @Sendable (@escaping @Sendable (Readiness) -> Void) -> Bool
    let runningRecoveries = RunningRecoveries()
    /// Of all loops: a page may come back to another one.
    let endedNames = EndedNames()

    public init(
        isSecure: Bool,
        stores: [Provider],
        access: Access,
        verifiers: [Provider: any StoreVerifier],
        recoveries: [Provider: any HistoryRecovery],
        apple: AppleServices?,
        google: (any PostedPurchaseReader)?,
        writer: LedgerWriter,
        reader: LedgerReader,
        templates: TemplateStore,
        streams: StreamPattern,
        epoch: String,
        clock: Clock,
        log: Log,
        metrics: Metrics,
        telemetry: Telemetry,
        workers: WorkerPool,
        callers: Callers,
        publish: @escaping @Sendable ([Publication]) -> Void,
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
        refusals = Refusals(stores: stores, metrics, log)
        self.workers = workers
        self.callers = callers
        self.publish = publish
        self.publicFolder = publicFolder
        self.development = development
        self.readiness = readiness
    }

    /// Whom the server believes; a reload replaces all of it at once. A class: each request asks, and a copy of all of it
    /// would take 22 counts of references.
    private final class Trust: Sendable {
        let access: Access
        let verifiers: [Provider: any StoreVerifier]
        let apple: AppleServices?
        let google: (any PostedPurchaseReader)?

        init(
            access: Access,
            verifiers: [Provider: any StoreVerifier],
            apple: AppleServices?,
            google: (any PostedPurchaseReader)?
        ) {
            self.access = access
            self.verifiers = verifiers
            self.apple = apple
            self.google = google
        }
    }

    public var access: Access { trust.value.access }
    /// The webhooks that are served.
    public var verifiers: [Provider: any StoreVerifier] { trust.value.verifiers }
    /// Nil when no app of Apple's is configured.
    public var apple: AppleServices? { trust.value.apple }

    /// Nil when no app of Google's is configured.
    public var google: (any PostedPurchaseReader)? { trust.value.google }

    /// Requests from now on are judged by these; those under way end as they began.
    public func replace(
        access: Access,
        verifiers: [Provider: any StoreVerifier],
        apple: AppleServices?,
        google: (any PostedPurchaseReader)?
    ) {
        trust.replace(with: Trust(access: access, verifiers: verifiers, apple: apple, google: google))
    }
}

/// Routes that exist in development only.
public protocol DevelopmentRoutes: Sendable {
    /// Nil: not one of them.
    func answer(_ request: Request) -> Answer?
}
