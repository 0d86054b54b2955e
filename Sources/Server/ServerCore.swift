import API
import Domain
import Gateway
import Ledger
public import Pages
import Rails
import Support

/// The parts from which all others are built. They are opened in this order, because a later one may need an earlier
/// one.
struct ServerCore {
    let configuration: Configuration
    let clock: Clock
    let log: Log
    let metrics = Metrics()
    let keys: ServerKeys
    let templates: TemplateLoader
    /// Of the last reload.
    let catalogs: SharedValue<Catalog>
    /// Taken, and not listened on before everything else is open.
    let address: BoundAddress
    /// Where the console will listen; nil if it has no address of its own.
    let consoleSocket: BoundAddress?
    /// Where this server can be reached; nil until it listens.
    let ownAddress = SharedValue<String?>(nil)
    let storeContext: StoreContext
    let stores: SharedValue<OpenStores>
    let telemetry: WebhookTelemetry
    let deliveries: DeliveryHealth
    /// What the last SIGHUP could not apply, for `/ready`.
    let refusedReloads = SharedValue<[String]>([])
    let publisher: Publisher
    /// The loops that have the console's pages; nil before they exist.
    let consolePages = SharedValue<Gateway?>(nil)
    /// Whose pages were ended, on whatever node.
    let endedPages: EndedPages
    /// Called after an erasure, on whatever node.
    let onErasure = SharedValue<@Sendable () -> Void>({})
    /// The settings of the last reload, without secrets.
    let facts: SharedValue<[(name: String, value: String)]>
    /// The streams that pages of all nodes follow; nil unless a listener to Rails has to know.
    let follows: FollowedStreams?
    /// The settings of the last reload that all nodes must have alike. Nobody compares those of a ledger in a file.
    let shared: SharedValue<SharedSettings?>
    private let settingsWatch: SettingsWatch
    let signer: NameSigner
    let ends = EndedAccessQueue()
    /// Tells the backend what was committed.
    let hookRoutine = Routine()
    let ledger: OpenedLedger
    /// Messages of nodes that this one's pages were not sent.
    let dropped: MessageLoss
    let writer: LedgerWriter
    let lead: RailsBroadcastLease
    let hold: OutgoingHold
    let reader: LedgerReader
    let workers: WorkerPool
    let blockingPools: BlockingPools

    init(_ configuration: Configuration) throws(StartError) {
        self.configuration = configuration
        clock = configuration.developmentNow.map(Clock.init(startingAt:)) ?? Clock()
        log = Log(level: configuration.logLevel, format: configuration.logFormat, clock: clock)
        ProcessMetrics.register(in: metrics, version: releaseVersion, start: Clock().now())
        metrics.gauge(.clock) { [clock] in Int(clock.now().seconds) }
        keys = try ServerKeys(configuration)
        templates = try starting { try configuration.templates() }
        catalogs = SharedValue(configuration.accessPolicy.catalog)
        // All that can fail for another reason than the ledger comes before it: a start that fails leaves none behind.
        address = try ServerCore.address(configuration)
        consoleSocket = try configuration.consoleBind.map { bind throws(StartError) in
            try starting {
                if let socket = configuration.sockets.console { return try BoundAddress(socket, loops: 1) }
                return try BoundAddress(address: bind.address, port: bind.port, count: 1)
            }
        }
        let types = configuration.storeTypes
        storeContext = StoreContext(
            workspace: keys.workspace,
            clock: clock,
            ownAddress: ownAddress,
            health: StoreHealth(stores: types, clock: clock, metrics: metrics, log: log),
            storeClock: StoreClock(stores: types, clock: clock, metrics: metrics, log: log),
            unlisted: UnlistedAccounts(metrics, log: log),
            log: log
        )
        stores = SharedValue(try OpenStores(configuration, context: storeContext))
        telemetry = WebhookTelemetry(metrics)
        deliveries = DeliveryHealth(
            stores: types,
            metrics: metrics,
            isAlone: !configuration.database.isShared,
            storeClock: storeContext.storeClock
        )
        deliveries.serves(configuration.servedStores)
        follows = configuration.railsCable?.needsStreams == true ? FollowedStreams() : nil
        publisher = Publisher(templates: templates, telemetry: telemetry, follows: follows, log: log)
        endedPages = EndedPages(streams: configuration.streamPattern, close: publisher.endPages)
        let unshared = MessageLoss(
            metrics.counter(.unshared),
            log: log,
            message: "messages for other nodes' pages dropped"
        )
        dropped = MessageLoss(metrics.counter(.droppedMessages), log: log, message: "messages for own pages dropped")
        do throws(LedgerError) {
            let (publisher, ends, onErasure, endedPages) = (publisher, ends, onErasure, endedPages)
            let hookRoutine = configuration.hooks.isEmpty ? nil : hookRoutine
            ledger = try OpenedLedger(configuration, publisher: publisher, unshared: unshared) { entries in
                publisher.committed(entries)
                ends.committed(entries)
                if entries.contains(where: { $0.notice.kind == .userErased }) { onErasure.value() }
                for ending in entries.compactMap(\.pagesEnding) { endedPages.end(ending) }
                guard let hookRoutine, entries.contains(where: \.mayBeTold) else { return }
                hookRoutine.wake()
            }
            let states = configuration.hooks.isEmpty ? nil : RecentStates(addresses: configuration.hooks.count)
            // Before the writer ends any access.
            if let now = ledger.now { ServerCore.follow(now, by: clock, configuration, log: log) }
            writer = try LedgerWriter(
                engine: ledger.engine,
                clock: clock,
                policy: configuration.accessPolicy,
                streams: configuration.streamPattern,
                providers: configuration.providers,
                log: log,
                metrics: metrics,
                states: states,
                onCommit: ledger.onCommit,
                onLocale: { [ledger] user in
                    guard let stream = configuration.streamPattern.stream(for: user) else { return }
                    ledger.tellNodes(.locale(stream))
                }
            )
            lead = RailsBroadcastLease(leaderLease: ledger.leaderLease) { [writer] command in writer.submit(command) }
            // Before anything is sent, and before a heartbeat says so.
            let isHome = try ledger.claimHome(isForced: configuration.isHome)
            let hold = OutgoingHold(isHeld: !isHome, log: log) { [ledger] in try ledger.claimHome(isForced: false) }
            self.hold = hold
            metrics.gauge(.outgoingHeld) { [hold] in hold.isHeld ? 1 : 0 }
            reader = try LedgerReader(
                engine: ledger.engine,
                clock: clock,
                policy: configuration.accessPolicy,
                streams: configuration.streamPattern,
                states: states
            )
        } catch {
            throw StartError(error)
        }
        facts = SharedValue(configuration.facts(node: ledger.node))
        shared = SharedValue(ledger.isShared ? SharedSettings(configuration, salt: ledger.salt) : nil)
        settingsWatch = SettingsWatch(log)
        signer = NameSigner(log)
        signer.adopt(keys.streamNames, of: shared.value, among: ledger.nodes)
        metrics.gauge(.settingsDifferent) { [follower = ledger.follower] in
            follower?.report?.differences.count(where: \.isLasting) ?? 0
        }
        workers = WorkerPool(name: "verifier", threads: configuration.loops, capacity: 2000)
        blockingPools = BlockingPools(stores: configuration.storeTypes, metrics: metrics)
    }

    private static func address(_ configuration: Configuration) throws(StartError) -> BoundAddress {
        try starting {
            if let socket = configuration.sockets.own { return try BoundAddress(socket, loops: configuration.loops) }
            return try BoundAddress(
                address: configuration.bind == "localhost" ? "127.0.0.1" : configuration.bind,
                port: configuration.port,
                count: configuration.loops
            )
        }
    }
}

extension Configuration {
    /// The templates that a server with these settings shows: its own files, or the program's where there is no folder of them.
    public func templates() throws(TemplateProblems) -> TemplateLoader {
        // The built-in offers, and what the demo's entitlements have of their own, are for development; in production, the app's
        // own server renders its offers.
        let catalog = accessPolicy.catalog
        let folders = isDevelopment ? catalog.entitlements.map { "\($0)/" } : []
        let own = Assets.fragments.filter { file, _ in
            if file.contains("/") { return folders.contains { file.hasPrefix($0) } }
            return isDevelopment || !file.hasPrefix("paywall.")
        }
        return try TemplateLoader(folder: "\(publicFolder ?? "public")/fragments", builtIn: own, catalog: catalog)
    }
}

/// A node that shares its ledger with others.
extension ServerCore {
    /// Follows what other nodes commit, and ends or restarts this server when the ledger requires it. A node that
    /// becomes the leader may have missed broadcasts before.
    func follow(after position: Int64, restart: Restart) throws(StartError) {
        try starting {
            try ledger.follow(
                after: position,
                configuration: configuration,
                health: writer.health,
                digests: { [shared, templates] in
                    let settings = shared.value?.digests ?? [:]
                    return settings.merging(["templates": [SharedSettings.digest(of: templates.digest)]]) { $1 }
                },
                tell: { finding in hear(finding, restart: restart) }
            )
        }
    }

    private func hear(_ finding: LedgerFollower.Finding, restart: Restart) {
        switch finding {
        case .lead(let lease):
            let work = "jobs, recoveries, questions to stores, broadcasts of rails"
            log.info("this node leads", fields: ["work": work, "lease": lease.number])
            // Who reads the cable's table does so once the table's head is known.
            if configuration.redis != nil { lead.recordLoss(under: lease) }
        case .loss:
            log.error("ledger lost commits", fields: ["todo": "none: this server restarts with a new epoch"])
            restart.restart()
        case .outdated:
            log.error("ledger has a newer schema", fields: ["todo": "run the version that the other nodes have"])
            restart.end()
        case .beat(let instant):
            if let instant, ServerCore.follow(instant, by: clock, configuration, log: log) { writer.wake() }
            lead.retry()
        case .report(let report):
            settingsWatch.look(at: report)
            signer.look(at: report)
        case .erased(let erased):
            publisher.gateway?.reloadPages(on: workers) { [streams = configuration.streamPattern] stream in
                streams.user(of: stream).map(erased.contains) ?? false
            }
        case .message(let body):
            publisher.waitForRoom()
            publisher.heard(body)
        case .interruption:
            // A user's locale may have changed meanwhile.
            publisher.gateway?.forgetRecentMessages()
            guard let follows else { return }
            ledger.sendToOthers(.whoFollows)
            follows.sayAgain()
        case .dropped(let count): dropped.add(count)
        }
    }

    /// The clocks of nodes may be minutes apart; periods end by the database's. Returns whether the clock was set.
    @discardableResult
    static func follow(_ instant: Instant, by clock: Clock, _ configuration: Configuration, log: Log) -> Bool {
        let difference = instant.milliseconds - clock.now().milliseconds
        guard abs(difference) > 1000, configuration.developmentNow == nil else { return false }
        clock.set(to: instant)
        log.warning("clock follows PostgreSQL", fields: ["milliseconds": difference])
        return true
    }
}

extension Entry {
    fileprivate var pagesEnding: PagesEnding? {
        guard notice.kind == .pagesEnded, let user = notice.user else { return nil }
        return PagesEnding(user: user, position: position)
    }

    /// Whether the backend may have to be told of it.
    /// A contract without a user may have been taken from one.
    fileprivate var mayBeTold: Bool {
        notice.user != nil || notice.contract != nil || notice.kind == .userErased
    }
}
