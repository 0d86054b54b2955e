internal import API
internal import AppleStore
internal import Concurrency
internal import Development
internal import Domain
internal import Gateway
internal import GoogleStore
internal import Jobs
internal import Ledger
internal import Observability
internal import Redis
internal import Simulator
internal import TurboStreams

/// The whole server: the only place that builds the parts and joins them.
///
/// A webhook's way: gateway (loop thread) → verifier (worker) → ledger (writer thread, one commit) → publisher
/// (rendered once) → every loop's hub → every open page.
public final class Server {
    private let configuration: Configuration
    private let log: Log
    private let writer: LedgerWriter
    private let reader: LedgerReader
    private let workers: WorkerPool
    private let blockingPools: BlockingPools
    private let templates: TemplateStore
    private let gateway: Gateway
    private let redis: RedisListener?
    private let demo: DemoRoutes?
    private let background: BackgroundServices
    private let own = OwnAddress()
    private let reloader: Reloader
    private let lock: LedgerLock
    private let watch: LedgerWatch
    private let certificate = CertificateHealth()
    private let manager: ServiceManager
    /// Where the ledger stood at the start.
    private let position: Int64
    /// At the start: the three that everybody has, and what a service manager may add.
    private static let inheritedFiles = 12

    /// Opens the ledger and starts listening. The signals are blocked already; `source` is what SIGHUP reads again.
    public init(_ configuration: Configuration, from source: ConfigurationSource) throws(StartError) {
        FileLimit.set(configuration.limits.files)
        // Some libraries end the process when they cannot open what they begin with.
        guard FileLimit.hasRoom(for: Limits.leastFiles(loops: configuration.loops) - Server.inheritedFiles) else {
            throw .gateway(.noDescriptors)
        }
        self.configuration = configuration
        manager = ServiceManager(environment: source.environment)
        let clock = configuration.developmentNow.map(Clock.init(startingAt:)) ?? Clock()
        let log = Log(level: configuration.logLevel, format: configuration.logFormat, clock: clock)
        let metrics = Metrics()
        let keys = try Credentials(configuration)
        let templates = try Server.templates(configuration)
        let timings = EventTimings()
        let telemetry = WebhookTelemetry(metrics, timings: keys.workspace == nil ? nil : timings)
        let publisher = Publisher(templates: templates, telemetry: telemetry, log: log)
        let ends = AccessExpiry()
        lock = try Server.lock(configuration.databasePath)
        let ledger = try Server.ledger(configuration, clock, log, metrics, publisher, ends)
        let workers = WorkerPool(name: "verifier", threads: configuration.loops, capacity: 2000)
        let blockingPools = BlockingPools(stores: configuration.providers, metrics)
        let storeHealth = StoreHealth(log)
        let context = StoreContext(workspace: keys.workspace, clock: clock, own: own, health: storeHealth, log: log)
        let opened = try OpenStores(configuration, context)
        let stores = Current(opened)
        let background = BackgroundServices(stores, ledger, ends, clock, log, metrics)
        let demo = Server.demo(configuration, keys, ledger, templates, clock, timings)
        let watch = LedgerWatch(
            path: configuration.databasePath,
            writer: ledger.writer,
            reader: ledger.reader,
            lock: lock,
            clock: clock,
            metrics: metrics
        )
        let redis = try Server.redis(configuration.redis, ledger.writer, log, metrics)
        let report = HealthReport(
            gaps: configuration.gaps,
            watch: watch,
            ledger: ledger.writer.health,
            templates: templates,
            redis: redis,
            background: background,
            certificate: certificate,
            stores: storeHealth
        )
        let services = Services(
            isSecure: configuration.tls != nil,
            stores: configuration.providers,
            access: keys.access(configuration.allowedOrigins),
            verifiers: opened.verifiers,
            recoveries: background.recoveries,
            apple: opened[AppleStore.self].map { AppleServices($0) },
            google: opened[GoogleStore.self]?.reader,
            writer: ledger.writer,
            reader: ledger.reader,
            templates: templates,
            streams: configuration.streamPattern,
            epoch: ledger.writer.epoch,
            clock: clock,
            log: log,
            metrics: metrics,
            telemetry: telemetry,
            workers: workers,
            blockingPools: blockingPools,
            publish: publisher.publish,
            publicFolder: configuration.publicFolder,
            development: demo,
            readiness: report.ask
        )
        position = try Server.head(ledger.reader)
        gateway = try Server.gateway(configuration, Endpoints(services), clock, metrics, ledger.writer.epoch, position)
        publisher.connect(gateway)
        reloader = Reloader(
            source: source,
            configuration: configuration,
            keys: keys,
            stores: stores,
            context: context,
            services: services,
            log: log
        )
        self.log = log
        self.workers = workers
        self.blockingPools = blockingPools
        self.templates = templates
        self.demo = demo
        writer = ledger.writer
        reader = ledger.reader
        self.redis = redis
        self.background = background
        self.watch = watch
    }

    /// Says where it listens, serves until SIGTERM or SIGINT, and drains. SIGHUP reloads meanwhile.
    public func run() throws(StartError) {
        let addresses = ServerAddress(bind: configuration.bind, port: gateway.port, isSecure: configuration.tls != nil)
        let address = addresses.own
        configuration.tell(log)
        own.set(address)
        lock.announce(address: address)
        do throws(WorkspaceError) {
            try demo?.serve(at: address)
        } catch {
            throw .workspace(error)
        }
        background.start()
        let watcher = FileWatcher(
            templates: templates,
            certificate: configuration.tls.map { CertificateWatch($0, gateway, certificate, log) },
            gateway: gateway,
            log: log
        )
        // A development server's stores answer from itself: there is nothing to find out.
        let probe = configuration.isDevelopment ? nil : StoreProbe(reloader.stores, reloader.context.clock)
        heal()
        log.info(
            "serving",
            [
                "address": address, "ledger": configuration.databasePath, "epoch": writer.epoch,
                "loops": configuration.loops, "connections": configuration.limits.connections,
            ]
        )
        Log.standardOutput("paycast listening on \(addresses.shown)")
        manager.tell(.ready)
        let watchdog = Watchdog(manager) { [gateway, reader] in Server.probe(gateway, reader) }
        var reloader = reloader
        while case .reload = Signals.next() {
            watcher.look()
            reloader.reload()
        }
        log.info("draining")
        Signals.exitOnNext()
        probe?.halt()
        manager.tell(.stopping)
        watchdog?.stop()
        stop()
        watcher.stop()
        // A store that hangs keeps no page and no webhook waiting for it.
        probe?.close()
        log.info("stopped")
    }

    /// What Redis lost, the app's own server still knows: pages ask there, also those that come later and saw the
    /// ledger last before it was lost.
    private func heal() {
        redis?.start { [gateway, writer, position] gap in
            // Of a new ledger no page knows anything.
            if gap == .beforeStart && position == 0 { return }
            let isTaken = writer.submit(
                .broadcastsLost { result in
                    if case .failure = result { gateway.refreshPages() }
                }
            )
            if !isTaken { gateway.refreshPages() }
        }
    }

    /// Returns when the loops and the ledger have answered.
    private static func probe(_ gateway: Gateway, _ reader: LedgerReader) {
        gateway.waitForLoops()
        let answer = Promise<Void>()
        // A reader with no room is busy, not dead.
        guard reader.head(completion: { _ in answer.fulfil(()) }) else { return }
        answer.wait()
    }

    /// Pages are let go first; what was received is still proven, committed and answered.
    private func stop() {
        gateway.drain()
        background.close()
        workers.close()
        blockingPools.close()
        redis?.close()
        watch.close()
        writer.close()
        reader.close()
        demo?.close()
        gateway.stop()
    }
}
