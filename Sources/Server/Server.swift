import API
import Console
import Crypto
import Domain
import Gateway
import Glibc
import HTTP
import Ledger
import Rails
import Stores
import Support
import Synchronization

/// The whole server: the only place that builds the parts and joins them.
///
/// The path of a webhook: gateway (loop thread) → verifier (worker) → ledger (writer thread, one commit) → publisher
/// (rendered once) → every loop's hub → every open page.
public final class Server {
    let core: ServerCore
    let gateway: Gateway
    let redis: BroadcastListener?
    let railsCable: BroadcastListener?
    let demo: DemoRoutes?
    let console: Console
    /// Nil if the console is at the server's own address.
    let consoleGateway: Gateway?
    let background: BackgroundServices
    let services: Services
    let watch: LedgerWatch
    private let restart = Restart()
    private let certificate = CertificateHealth()
    private let manager: SystemdNotifier
    /// The ledger's newest position at the start.
    let position: Int64
    /// The number of files that may be open at the start: the three standard streams, and those that a service manager
    /// may add.
    private static let inheritedFiles = 12

    /// Takes the address, opens the ledger, and starts listening. Block the signals before; SIGHUP reads the settings'
    /// files again.
    public init(_ configuration: Configuration) throws(StartError) {
        try Server.makeRoomForFiles(configuration)
        manager = SystemdNotifier(environment: configuration.source().environment)
        core = try ServerCore(configuration)
        background = BackgroundServices(core, stores: core.stores)
        demo = core.keys.workspace.map { [core] in DemoRoutes(core, workspace: $0) }
        watch = core.watch()
        redis = try core.redis()
        railsCable = try core.railsCable()
        let report = HealthReport(
            core: core,
            watch: watch,
            listeners: [redis, railsCable].compactMap { $0 },
            background: background,
            certificate: certificate
        )
        services = core.services(background: background, demo: demo, readiness: report.ask)
        core.showCertificates(certificate)
        services.history.tick(at: core.clock.now())
        // Before the first page connects. It must be exact, because pages are told what they have missed since then.
        position = try starting { [core] in try core.reader.answer { try $0.head().position } }
        core.endedPages.begin(with: try starting { [core] in try core.reader.answer { try $0.endedPages() } })
        // In a new ledger, nobody was told by another catalog.
        if position == 0 {
            _ = answer { [core] done in core.writer.submit(.tellCatalog(after: nil, completion: done)) }
        }
        var endpoints = Endpoints(services)
        console = core.console(services, api: endpoints)
        endpoints.consoleLinks = console.link
        var withConsole = endpoints
        withConsole.console = console.answer
        withConsole.isConsoleOpen = { [console] in console.isThere }
        let isApart = core.consoleSocket != nil
        let handler = isApart ? endpoints : withConsole
        gateway = try core.gateway(handler, at: core.address, position: position, metrics: core.metrics)
        // Its connections are not pages: they are not counted among them.
        consoleGateway = try core.consoleSocket.map { [core, position] socket throws(StartError) in
            try core.gateway(ConsoleHandler(endpoints: withConsole), at: socket, position: position, metrics: Metrics())
        }
        core.consolePages.replace(with: consoleGateway ?? gateway)
        core.onErasure.replace(with: { [console, services] in
            console.userWasErased()
            services.userWasErased()
        })
        core.publisher.connect(gateway)
        try core.follow(after: position, restart: restart)
    }

    /// Some libraries end the process if they cannot open the files that they need at the start.
    private static func makeRoomForFiles(_ configuration: Configuration) throws(StartError) {
        FileLimit.set(configuration.limits.files)
        guard FileLimit.hasRoom(for: Limits.leastFiles(loops: configuration.loops) - inheritedFiles) else {
            throw StartError(SocketSetupError.noDescriptors)
        }
    }

    /// Prints its address, serves until SIGTERM or SIGINT, and drains. SIGHUP reloads meanwhile. Returns true if the
    /// program must restart instead of ending.
    public func run() throws(StartError) -> Bool {
        var configuration = core.configuration
        let log = core.log
        let addresses = ServerAddress(
            bind: configuration.bind,
            port: gateway.port,
            isSecure: configuration.tls != nil,
            isInContainer: configuration.isInContainer
        )
        try tellAddress(addresses)
        background.start()
        let watcher = startWatcher()
        // In development, the stand-ins in this same server answer for the stores: there is nothing to find out.
        let probe = configuration.isDevelopment ? nil : startProbe()
        listenToRails()
        announce(addresses)
        manager.notify(.ready)
        let watchdog = manager.watchdog { [gateway, core] in Server.probe(gateway, core) }
        while case .reload = Signals.next() { reload(&configuration, waking: watcher) }
        log.info("draining")
        Signals.exitOnNext()
        let progress = ShutdownProgress(log)
        probe?.halt()
        manager.notify(.stopping)
        progress.wait(for: "the watchdog") { watchdog?.end() }
        stop(progress)
        progress.wait(for: "the watch of templates and certificates") { watcher.end() }
        // Joined last, so that a store that does not answer delays no page and no webhook.
        progress.wait(for: "a store's API") { probe?.end() }
        progress.end()
        log.info("stopped")
        return restart.isDue
    }

    /// A thread that looks every second for changed template files and a renewed certificate. It also returns memory to the
    /// system after many connections have ended and after bursts, and keeps the time of the history. Wake it to make it look
    /// at once.
    private func startWatcher() -> Routine {
        let gateways = [gateway, consoleGateway].compactMap(\.self)
        let state = (
            certificate: core.configuration.tls.map {
                CertificateWatch($0, gateways: gateways, health: certificate, log: core.log)
            },
            templates: TemplateWatch(core.templates, log: core.log), trim: MemoryTrimSchedule()
        )
        let routine = Routine()
        routine.start("watcher", state: state) { [gateway, history = services.history, clock = core.clock] state in
            if state.trim.isDue(ended: gateway.endedConnections, published: gateway.publishedBytes) { Allocator.trim() }
            history.tick(at: clock.now())
            state.certificate?.refresh()
            if state.templates.refresh(at: clock.now()) { gateway.forgetRecentMessages() }
            return .seconds(1)
        }
        return routine
    }

    /// A thread that asks the stores' APIs for a purchase that does not exist, at the start and every hour, so that an
    /// operator learns of a refused key before a buyer comes; and one that does not answer, every quarter of a minute until it
    /// does, and all of them while the clock is off by their word. The answers reach `StoreHealth` and `StoreClock`. Apple is
    /// not asked every hour: the server fetches its history anyway. After a halt, it makes no more calls.
    private func startProbe() -> Routine {
        let routine = Routine()
        let (health, storeClock, clock) = (core.storeContext.health, core.storeContext.storeClock, core.clock)
        routine.start("store-probe", state: 0) { [stores = core.stores] rounds in
            let (isHour, isOff) = (rounds % 240 == 0, storeClock.isOff)
            rounds += 1
            for (contract, isCalledAnyway) in stores.value.nobodysPurchases
            where !routine.isHalted
                && (isOff || isHour && !isCalledAnyway || health.silent.contains(contract.provider))
            {
                _ = try? stores.value.apis[contract.provider]?.statement(of: contract, now: clock.now())
            }
            return .seconds(15)
        }
        return routine
    }

    /// Tells the parts and the workspace at which address the server is reached.
    private func tellAddress(_ addresses: ServerAddress) throws(StartError) {
        core.configuration.logGaps(to: core.log)
        core.ownAddress.replace(with: addresses.own)
        core.ledger.write(address: addresses.own)
        if let demo { try starting { try demo.serve(at: addresses.own) } }
    }

    private func announce(_ addresses: ServerAddress) {
        let (configuration, log) = (core.configuration, core.log)
        if core.ledger.hasNewEpoch {
            let todo = "none: it has a new epoch, pages get the newest state, and stores are asked what they sent"
            log.warning("ledger has another history", fields: ["todo": todo])
        }
        log.info(
            "serving",
            fields: [
                "address": addresses.own, "ledger": configuration.database.description, "epoch": core.writer.epoch,
                "loops": configuration.loops, "connections": configuration.limits.connections,
            ]
        )
        let inherited = configuration.sockets.names
        if !inherited.isEmpty { log.info("sockets inherited", fields: ["names": inherited.joined(separator: ",")]) }
        if console.isThere {
            let isSecure = configuration.tls != nil
            let own = configuration.consoleBind.map {
                ServerAddress(
                    bind: $0.address,
                    port: consoleGateway?.port ?? $0.port,
                    isSecure: isSecure,
                    isInContainer: configuration.isInContainer
                )
            }
            let path = configuration.isDevelopment ? "/console/enter" : "/console"
            log.info("console", fields: ["address": (own ?? addresses).shown + path])
        }
        Log.standardOutput("paycast listening on \(addresses.shown)")
    }

    /// Returns when the loops and the ledger have answered. A database that does not is no fault of this process, and
    /// starting it again would only close its pages.
    private static func probe(_ gateway: Gateway, _ core: ServerCore) {
        gateway.waitForLoops()
        let answer = Promise<Void>()
        // A reader whose queue is full is busy, not dead.
        guard core.reader.ask({ try $0.head() }, { _ in answer.fulfil(()) }) else { return }
        if core.ledger.isShared { _ = answer.wait(timeout: .seconds(5)) } else { answer.wait() }
    }
}

/// Gaps in the broadcasts of a Rails app.
extension Server {
    /// Starts listening. The app's own server still has what was lost: pages reload from there, including pages that
    /// come later with a cursor from before the loss.
    func listenToRails() {
        let heal: HealBroadcasts = { [gateway, lead = core.lead, ledger = core.ledger, position] gap in
            // No page can have a cursor of a new ledger, unless another node has served it.
            if gap == .beforeStart && position == 0 && !ledger.isShared { return }
            // Of several nodes, only the leader commits Rails' broadcasts and records gaps. It may have become the leader
            // before it connected to Rails.
            guard let lease = ledger.leaderLease.lease else { return }
            lead.recordLoss(under: lease) { gateway.refreshPages() }
        }
        core.follows?.connect(
            pages: { [gateway] in gateway.followedStreams },
            share: { [ledger = core.ledger] streams in ledger.shareFollowed(streams) }
        )
        let pagesKeepUp = { @Sendable [gateway] in gateway.hasRoom }
        redis?.start(pagesKeepUp: pagesKeepUp, heal: heal)
        railsCable?.start(takesOver: core.lead.takesOver, pagesKeepUp: pagesKeepUp, heal: heal)
    }
}

/// The order in which everything ends.
extension Server {
    /// Lets pages go first; what was received is still verified, committed and answered.
    func stop(_ progress: ShutdownProgress) {
        progress.wait(for: "pages") { gateway.drain() }
        progress.wait(for: "jobs and recoveries") { background.close() }
        progress.wait(for: "the console") {
            consoleGateway?.drain()
            console.close()
        }
        progress.wait(for: "webhooks") { core.workers.close() }
        progress.wait(for: "operators' requests") { core.blockingPools.close() }
        progress.wait(for: "Rails' broadcasts") {
            redis?.close()
            railsCable?.close()
        }
        progress.wait(for: "the watch of the ledger's files") { watch.close() }
        progress.wait(for: "the ledger's writer") { core.writer.close() }
        progress.wait(for: "the other nodes' log") { core.ledger.close() }
        progress.wait(for: "the ledger's reader") { core.reader.close() }
        progress.wait(for: "the demo") { demo?.close() }
        progress.wait(for: "connections") {
            gateway.stop()
            consoleGateway?.stop()
        }
    }
}

/// The reason why the server did not start. Each text says what to do.
public struct StartError: Error, CustomStringConvertible {
    public let description: String
    /// A setting, a file, the address or the ledger's folder is wrong: another start fails as well until somebody changes it. A
    /// ledger that is in use, busy or out of reach may be there next time.
    public let isAboutSettings: Bool

    init(_ reason: any Error) {
        description = "\(reason)"
        isAboutSettings =
            switch reason as? LedgerError {
            case nil, .cannotOpen: true
            default: false
            }
    }
}

/// Runs a step of the start, whose own errors say what to do.
func starting<Value>(_ step: () throws -> Value) throws(StartError) -> Value {
    do {
        return try step()
    } catch {
        throw StartError(error)
    }
}

/// Says what a server that takes long to end still waits for, because a service manager kills it without a word.
final class ShutdownProgress: Sendable {
    /// Nil once everything has ended.
    private let part = Monitor<String?>("")
    /// Nil if the system could not start another thread: the server ends all the same.
    private let ended: Promise<Void>?

    init(_ log: Log, patience: Duration = .seconds(10)) {
        let ended = Promise<Void>()
        let isStarted = WorkerThread.detach(name: "shutdown") { [part] in
            defer { ended.fulfil(()) }
            while part.wait(timeout: patience, for: { $0 == nil ? () : nil }) == nil {
                guard let part = part.withLock({ $0 }) else { return }
                log.warning("still draining", fields: ["waits_for": part])
            }
        }
        self.ended = isStarted ? ended : nil
    }

    func wait(for name: String, body: () -> Void) {
        part.withLock { $0 = name }
        body()
    }

    func end() {
        part.change { $0 = nil }
        ended?.wait()
    }
}

/// Ends the server from within. It stops as it does after SIGTERM: pages reconnect by themselves, with their cursors,
/// to this server or to another node.
final class Restart: Sendable {
    private let isEnding = Atomic(false)
    private let due = Atomic(false)

    /// True if the program must restart once the server has stopped.
    var isDue: Bool { due.load(ordering: .relaxed) }

    func restart() {
        due.store(true, ordering: .relaxed)
        end()
    }

    func end() {
        guard !isEnding.exchange(true, ordering: .relaxed) else { return }
        kill(getpid(), SIGTERM)
    }
}

/// The version of this release. The nodes of a shared ledger show theirs to each other.
public let releaseVersion = "0.1.0"

/// The C libraries that this process has loaded, for bug reports.
public let libraryVersions: [(name: String, version: String)] = [
    ("SQLite", sqliteVersion), ("libpq", libpqVersion), ("OpenSSL", opensslVersion), ("hiredis", hiredisVersion),
    ("nghttp2", nghttp2Version), ("Zstandard", zstandardVersion),
]
