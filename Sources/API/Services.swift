public import Domain
public import Ledger
public import Pages
public import Stores
public import Support

/// The parts that the endpoints work with; the server builds them. It is a class because every request passes it on,
/// and copying all of its members would take 2 µs.
public final class Services: Sendable {
    /// Pages reach this server over TLS, without a proxy in between.
    public let isSecure: Bool
    private let trust: SharedValue<Trust>
    /// All stores that Paycast knows, served or not.
    public let stores: [Provider]
    /// They know who reads a posted purchase, or an offer to sign.
    let storeTypes: [Provider: any Store.Type]
    /// The stores that keep a history, and the variable with the key that reads it.
    let historyKeys: [(provider: Provider, variable: String)]
    /// The stores whose history can be fetched, because they have that key.
    public let recoveries: [Provider: HistoryRecovery]
    /// How the app's backend is told.
    let hooks: HookDesk
    public let writer: LedgerWriter
    public let reader: LedgerReader
    public let templates: TemplateLoader
    /// Of the last reload.
    let catalogs: SharedValue<Catalog>
    public let streams: StreamPattern
    public let clock: Clock
    public let log: Log
    public let metrics: Metrics
    public let telemetry: WebhookTelemetry
    let refusals: RefusalTelemetry
    let refused = RefusedWebhooks()
    let refusedOfUsers = RefusedOfUsers()
    let lookupLimit = LookupLimit()
    public let history: History
    let deliveries: DeliveryHealth
    let storeHealth: StoreHealth
    /// These threads check signatures; a loop never does.
    public let workers: WorkerPool
    /// The threads that may wait for a store's API.
    public let blockingPools: BlockingPools
    /// Hands transient messages to all loops and nodes.
    public let broadcast: @Sendable ([Message]) -> Void
    let endedPages: EndedPages
    /// Asks the loops which pages follow a stream here. The answer comes on another thread.
    let openPages: @Sendable (StreamName, @escaping @Sendable ([OpenPage]) -> Void) -> Void
    /// This process's name among the nodes of the ledger.
    let node: String
    /// True if transient messages also go to other nodes, where they keep their order with commits.
    public let isLedgerShared: Bool
    /// Nil if the public folder does not exist.
    public let publicFolder: String?
    /// Answers the demo's own routes, and nil for any other; nil outside development.
    public let development: (@Sendable (Request) -> Answer?)?
    /// Whether the server is ready, for probes. The answer comes on another thread. Returns false if too many probes
    /// are waiting.
    public let readiness: @Sendable (@escaping @Sendable (Readiness) -> Void) -> Bool
    let knownRecoveries = KnownRecoveries()
    /// Shared by all loops: a page may reconnect to another one.
    let endedNames = ExpiredNameThrottle()

    public init(
        isSecure: Bool,
        stores: [any Store.Type],
        trust: Trust,
        recoveries: [Provider: HistoryRecovery],
        hooks: HookDesk = .none,
        writer: LedgerWriter,
        reader: LedgerReader,
        templates: TemplateLoader,
        catalogs: SharedValue<Catalog>,
        streams: StreamPattern,
        clock: Clock,
        log: Log,
        metrics: Metrics,
        telemetry: WebhookTelemetry,
        deliveries: DeliveryHealth,
        storeHealth: StoreHealth,
        workers: WorkerPool,
        blockingPools: BlockingPools,
        broadcast: @escaping @Sendable ([Message]) -> Void,
        endedPages: EndedPages,
        openPages: @escaping @Sendable (StreamName, @escaping @Sendable ([OpenPage]) -> Void) -> Void,
        node: String,
        isLedgerShared: Bool,
        publicFolder: String?,
        development: (@Sendable (Request) -> Answer?)?,
        readiness: @escaping @Sendable (@escaping @Sendable (Readiness) -> Void) -> Bool
    ) {
        self.isSecure = isSecure
        self.stores = stores.map { $0.provider }
        storeTypes = stores.reduce(into: [:]) { $0[$1.provider] = $1 }
        historyKeys = stores.compactMap { store in store.historyKey.map { (store.provider, $0) } }
        self.trust = SharedValue(trust)
        self.recoveries = recoveries
        self.hooks = hooks
        self.writer = writer
        self.reader = reader
        self.templates = templates
        self.catalogs = catalogs
        self.streams = streams
        self.clock = clock
        self.log = log
        self.metrics = metrics
        self.telemetry = telemetry
        self.deliveries = deliveries
        self.storeHealth = storeHealth
        history = History(metrics)
        refusals = RefusalTelemetry(stores: stores, metrics: metrics, log: log)
        self.workers = workers
        self.blockingPools = blockingPools
        self.broadcast = broadcast
        self.endedPages = endedPages
        self.openPages = openPages
        self.node = node
        self.isLedgerShared = isLedgerShared
        self.publicFolder = publicFolder
        self.development = development
        self.readiness = readiness
    }

    /// The credentials that the server accepts; a reload replaces all of them at once. It is a class because every
    /// request reads it, and copying it would touch 22 reference counts.
    public final class Trust: Sendable {
        let authorization: Authorization
        let verifiers: [Provider: any StoreVerifier]
        let opened: [Provider: any OpenStore]

        public init(
            _ authorization: Authorization,
            verifiers: [Provider: any StoreVerifier],
            opened: [Provider: any OpenStore]
        ) {
            self.authorization = authorization
            self.verifiers = verifiers
            self.opened = opened
        }
    }

    public var epoch: String { writer.epoch }
    public var authorization: Authorization { trust.value.authorization }
    /// The verifiers of the webhooks that are served.
    public var verifiers: [Provider: any StoreVerifier] { trust.value.verifiers }
    /// The stores that are configured.
    public var opened: [Provider: any OpenStore] { trust.value.opened }

    /// New requests are judged by it; requests in progress keep the old one.
    public func replace(_ trust: Trust) { self.trust.replace(with: trust) }
}

extension Services {
    /// Runs `work` on a worker, or on the threads for `purpose` if it waits for a store. Returns false if too much is
    /// waiting. `refuse` runs in place of work that still waits for a store when the server shuts down.
    func submit(
        waitingFor purpose: BlockingPools.Purpose?,
        work: @escaping WorkerPool.Task,
        orElse refuse: @escaping WorkerPool.Task
    ) -> Bool {
        guard let purpose else { return workers.submit(work) }
        return blockingPools.submit(purpose, work: work, orElse: refuse)
    }
}

extension Services {
    /// Asks the ledger, on a thread of its own. Without an answer, `reply` says so. Returns false if too much is waiting.
    func ask<Found>(
        _ question: @escaping @Sendable (inout LedgerQueries) throws -> Found,
        for reply: Reply,
        then: @escaping @Sendable (Found) -> Void
    ) -> Bool {
        reader.ask(question) { result in
            guard case .success(let found) = result else { return reply.send(.unreadable) }
            then(found)
        }
    }

    /// Answers with what the ledger has found.
    func answer<Found>(
        asking question: @escaping @Sendable (inout LedgerQueries) throws -> Found,
        _ response: @escaping @Sendable (Found) -> Response
    ) -> Answer {
        .later { [self] reply in ask(question, for: reply) { reply.send(response($0)) } }
    }

    /// Answers with what `work` returns, on a worker, or on a thread for `purpose` if it waits for something.
    func answer(on purpose: BlockingPools.Purpose? = nil, _ work: @escaping @Sendable () -> Response) -> Answer {
        .later { [self] reply in
            submit(waitingFor: purpose) {
                reply.send(work())
            } orElse: {
                reply.send(.busy)
            }
        }
    }

    /// Nobody reads what names a buyer before it is written down who does.
    func note(_ act: Act, reply: Reply, then: @escaping @Sendable () -> Void) -> Bool {
        writer.submit(
            .note(act) { result in
                guard case .success = result else { return reply.send(.uncommitted) }
                then()
            }
        )
    }
}

/// Fetches everything that a store has sent, or tried to send, and commits what is missing. Blocks. Without an instant,
/// it begins at the last success. `progress` runs after each page, on the caller's thread.
public typealias HistoryRecovery = @Sendable (Instant?, _ progress: (RecoveryReport) -> Void) -> RecoveryReport
