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
    private let watch: LedgerWatch
    private let certificate = CertificateHealth()

    /// Opens the ledger and starts listening. The signals are blocked already; `source` is what SIGHUP reads again.
    public init(_ configuration: Configuration, from source: ConfigurationSource) throws(StartError) {
        FileLimit.set(configuration.limits.files)
        self.configuration = configuration
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
        let storeHealth = StoreHealth(log)
        let parts = try StoreParts(configuration, keys, clock, own, storeHealth, log)
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
        let watch = LedgerWatch(
            path: configuration.databasePath,
            writer: ledger.writer,
            reader: ledger.reader,
            lock: lock,
            clock: clock,
            metrics: metrics
        )
        let redis = configuration.redis.map { Server.redis($0, ledger.writer, log, metrics) }
        let report = HealthReport(
            gaps: configuration.gaps,
            watch: watch,
            ledger: ledger.writer.health,
            templates: templates,
            redis: redis,
            upkeep: upkeep,
            certificate: certificate,
            stores: storeHealth
        )
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
            readiness: report.ask
        )
        gateway = try Server.gateway(configuration, Endpoints(services), clock, metrics, ledger)
        publisher.connect(gateway)
        reloader = Reloader(
            source: source,
            configuration: configuration,
            keys: keys,
            stores: stores,
            services: services,
            clock: clock,
            own: own,
            health: storeHealth,
            log: log
        )
        (self.log, self.workers, self.callers, self.templates, self.demo) = (log, workers, callers, templates, demo)
        (writer, reader, self.redis, self.upkeep) = (ledger.writer, ledger.reader, redis, upkeep)
        self.watch = watch
    }

    /// Says where it listens, serves until SIGTERM or SIGINT, and drains. SIGHUP reloads meanwhile.
    public func run() throws(StartError) {
        let addresses = ServerAddress(bind: configuration.bind, port: gateway.port, isSecure: configuration.tls != nil)
        let address = addresses.own
        configuration.tell(log)
        own.set(address)
        lock.announce(address: address)
        try demo?.serve(at: address)
        upkeep.start()
        let housekeeper = Housekeeper(
            templates: templates,
            certificate: configuration.tls.map { CertificateWatch($0, gateway, certificate, log) },
            gateway: gateway,
            log: log
        )
        // A development server's stores answer from itself: there is nothing to find out.
        let probe = configuration.isDevelopment ? nil : probe()
        // What Redis lost, the app's own server still knows: pages ask there.
        redis?.start { [gateway] in gateway.refreshPages() }
        log.info(
            "serving",
            [
                "address": address, "ledger": configuration.databasePath, "epoch": writer.epoch,
                "loops": configuration.loops,
            ]
        )
        Log.standardOutput("paycast listening on \(addresses.shown)")
        var reloader = reloader
        while case .reload = Signals.next() {
            housekeeper.look()
            reloader.reload()
        }
        log.info("draining")
        Signals.exitOnNext()
        probe?.close()
        stop()
        housekeeper.stop()
        log.info("stopped")
    }

    /// Pages are let go first; what was received is still proven, committed and answered.
    private func stop() {
        gateway.drain()
        upkeep.close()
        workers.close()
        callers.close()
        redis?.close()
        watch.close()
        writer.close()
        reader.close()
        demo?.close()
        gateway.stop()
    }

    private func probe() -> StoreProbe {
        let apis = StoreAPIs(configuration, workspace: nil) { nil }
        return StoreProbe(reloader.stores, Provider.allCases.compactMap(apis.nobodysPurchase), reloader.clock)
    }

    private static func templates(_ configuration: Configuration) throws(StartError) -> TemplateStore {
        do throws(TemplateProblems) {
            return try TemplateStore(folder: "\(configuration.publicFolder ?? "public")/fragments")
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
        _ ledger: (writer: LedgerWriter, reader: LedgerReader)
    ) throws(StartError) -> Gateway {
        let position = try head(ledger.reader)
        do throws(GatewayError) {
            return try Gateway(
                address: configuration.bind == "localhost" ? "127.0.0.1" : configuration.bind,
                port: configuration.port,
                loops: configuration.loops,
                epoch: ledger.writer.epoch,
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
