internal import Assets
internal import Domain
internal import Errands
internal import Fragments
internal import Gateway
internal import Glibc
internal import Ledger
internal import Providers
internal import Redis
internal import Runtime

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
    private let callers: WorkerPool
    private let templates: TemplateStore
    private let gateway: Gateway
    private let redis: RedisListener?
    private let demo: DemoRoutes?
    private let upkeep: Upkeep
    private let own = OwnAddress()
    private let reloader: Reloader
    private let lock: LedgerLock
    private let manager: ServiceManager
    /// Where the ledger stood at the start.
    private let position: Int64

    /// Opens the ledger and starts listening. The signals are blocked already; `source` is what SIGHUP reads again.
    public init(_ configuration: Configuration, from source: ConfigurationSource) throws(StartError) {
        FileLimit.set(configuration.limits.files)
        self.configuration = configuration
        manager = ServiceManager(environment: source.environment)
        let clock = configuration.developmentNow.map(Clock.init(startingAt:)) ?? Clock()
        let log = Log(level: configuration.logLevel, format: configuration.logFormat, clock: clock)
        let metrics = Metrics()
        let keys = try Keys(configuration)
        let templates = try Server.templates(configuration)
        let telemetry = Telemetry(metrics)
        let publisher = Publisher(templates: templates, telemetry: telemetry, log: log)
        let ends = AccessEnds()
        lock = try Server.lock(configuration.databasePath)
        let ledger = try Server.ledger(configuration, clock, log, metrics, publisher, ends)
        let workers = WorkerPool(name: "verifier", threads: configuration.loops, capacity: 2000)
        let callers = WorkerPool(name: "caller", threads: 8, capacity: 250)
        let parts = try StoreParts(configuration, keys, clock, own, log)
        let stores = Current(parts)
        let upkeep = Upkeep(stores, ledger, ends, clock, log, metrics)
        let demo = keys.workspace.map {
            DemoRoutes(
                workspace: $0,
                configuration,
                clock: clock,
                ledger: ledger,
                templates: templates,
                keys: keys,
                standIns: parts.standIns
            )
        }
        let redis = configuration.redis.map { Server.redis($0, ledger.writer, log, metrics) }
        let services = Services(
            isSecure: configuration.tls != nil,
            access: keys.access(configuration.allowedOrigins),
            verifiers: parts.verifiers,
            recoveries: upkeep.recoveries,
            apple: parts.appleServices,
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
            callers: callers,
            publish: publisher.publish,
            publicFolder: configuration.publicFolder,
            development: demo,
            problems: { templates.problems + (redis?.problems ?? []) + upkeep.problems }
        )
        position = try Server.head(ledger.reader)
        gateway = try Server.gateway(configuration, Endpoints(services), clock, metrics, ledger.writer.epoch, position)
        publisher.connect(gateway)
        reloader = Reloader(
            source: source,
            configuration: configuration,
            keys: keys,
            stores: stores,
            services: services,
            clock: clock,
            own: own,
            log: log
        )
        (self.log, self.workers, self.callers, self.templates, self.demo) = (log, workers, callers, templates, demo)
        (writer, reader, self.redis, self.upkeep) = (ledger.writer, ledger.reader, redis, upkeep)
    }

    /// Says where it listens, serves until SIGTERM or SIGINT, and drains. SIGHUP reloads meanwhile.
    public func run() throws(StartError) {
        let address = "\(configuration.tls == nil ? "http" : "https")://\(configuration.bind):\(gateway.port)"
        for warning in configuration.warnings { log.warning("configuration", ["warning": warning]) }
        own.set(address)
        lock.announce(address: address)
        try demo?.serve(at: address)
        upkeep.start()
        let housekeeper = Housekeeper(
            templates: templates,
            certificate: configuration.tls.map { CertificateWatch($0, gateway, log) },
            gateway: gateway,
            log: log
        )
        heal()
        log.info(
            "serving",
            [
                "address": address, "ledger": configuration.databasePath, "epoch": writer.epoch,
                "loops": configuration.loops,
            ]
        )
        Log.standardOutput("paycast listening on \(address)")
        manager.tell(.ready)
        let watchdog = Watchdog(manager) { [gateway, reader] in Server.probe(gateway, reader) }
        var reloader = reloader
        while case .reload = Signals.next() {
            housekeeper.look()
            reloader.reload()
        }
        log.info("draining")
        Signals.exitOnNext()
        manager.tell(.stopping)
        watchdog?.stop()
        stop()
        housekeeper.stop()
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
        upkeep.close()
        workers.close()
        callers.close()
        redis?.close()
        writer.close()
        reader.close()
        demo?.close()
        gateway.stop()
    }

    private static func templates(_ configuration: Configuration) throws(StartError) -> TemplateStore {
        do throws(TemplateProblems) {
            // The offers are the demo's: an app's own server renders the app's.
            let own = Assets.fragments.filter { configuration.isDevelopment || $0.key != "paywall.html" }
            return try TemplateStore(folder: "\(configuration.publicFolder ?? "public")/fragments", builtIn: own)
        } catch {
            throw .templates(error)
        }
    }

    private static func lock(_ path: String) throws(StartError) -> LedgerLock {
        do throws(LedgerError) {
            return try LedgerLock(path: path)
        } catch {
            throw .ledger(error)
        }
    }

    private static func ledger(
        _ configuration: Configuration,
        _ clock: Clock,
        _ log: Log,
        _ metrics: Metrics,
        _ publisher: Publisher,
        _ ends: AccessEnds
    ) throws(StartError) -> (writer: LedgerWriter, reader: LedgerReader) {
        let (path, policy) = (configuration.databasePath, configuration.accessPolicy)
        do throws(LedgerError) {
            let writer = try LedgerWriter(
                path: path,
                clock: clock,
                policy: policy,
                streams: configuration.streamPattern,
                log: log,
                metrics: metrics,
                onCommit: { entries in
                    publisher.committed(entries)
                    ends.committed(entries)
                }
            )
            return (writer, try LedgerReader(path: path, clock: clock, policy: policy))
        } catch {
            throw .ledger(error)
        }
    }

    private static func redis(
        _ settings: RedisSettings,
        _ writer: LedgerWriter,
        _ log: Log,
        _ metrics: Metrics
    ) -> RedisListener {
        RedisListener(settings, log: log, metrics: metrics) { fragments, completion in
            writer.submit(
                .broadcast(fragments) { result in
                    switch result {
                    case .success: completion(.committed)
                    case .failure(.busy): completion(.busy)
                    case .failure: completion(.refused)
                    }
                }
            )
        }
    }

    private static func gateway(
        _ configuration: Configuration,
        _ endpoints: Endpoints,
        _ clock: Clock,
        _ metrics: Metrics,
        _ epoch: String,
        _ position: Int64
    ) throws(StartError) -> Gateway {
        do throws(GatewayError) {
            return try Gateway(
                address: configuration.bind == "localhost" ? "127.0.0.1" : configuration.bind,
                port: configuration.port,
                loops: configuration.loops,
                epoch: epoch,
                position: position,
                clock: clock,
                identity: configuration.tls?.identity,
                handler: endpoints,
                metrics: metrics,
                limits: configuration.limits,
                proxies: configuration.trustedProxies
            )
        } catch {
            throw .gateway(error)
        }
    }

    /// Where the ledger stands before the first page connects. A guess would not do: pages are told what they missed
    /// since then.
    private static func head(_ reader: LedgerReader) throws(StartError) -> Int64 {
        let answer = Promise<Result<Int64, LedgerError>>()
        let isAsked = reader.head { answer.fulfil($0.map(\.position)) }
        guard isAsked else { throw .ledger(.busy) }
        do throws(LedgerError) {
            return try answer.wait().get()
        } catch {
            throw .ledger(error)
        }
    }
}
