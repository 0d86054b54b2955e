import API
import APIModel
import Crypto
import Domain
import HTTPClient
import Ledger
import Pages
import Rails
import Server
import Simulator
import Stores
import Support

/// Everything that can be examined once the settings are readable: templates, certificates, the server, the stores, the
/// clock, the app's backend.
struct AllChecks {
    let configuration: Configuration
    let remote: RemoteServer
    /// The development server's keys; nil if none has run here.
    let workspace: DevelopmentWorkspace?
    /// Whether the app's backend may be sent a test.
    let sendsTests: Bool
    let client = HTTPClient(timeout: .seconds(10))

    func findings() -> [Finding] {
        let now = Clock().now()
        let stores = expected.map { type(of: $0).provider }
        var findings: [Finding] = []
        if stores.isEmpty {
            let todo = "set the variables of a store, or try it all with “paycast demo”"
            findings.append(.fail("stores", detail: "no store is configured, so every webhook answers 503: \(todo)"))
        }
        if configuration.gaps.contains(.streamKey) {
            findings.append(.fail("stream key", detail: "\(Configuration.Gap.streamKey)"))
        }
        findings += expected.flatMap { $0.checkCertificates(at: now) }
        if let tls = configuration.tls { findings += certificate(tls.certificateFile, at: now) }
        let server = ServerCheck(
            remote: remote,
            stores: stores,
            isDevelopment: configuration.isDevelopment,
            client: client
        ).run()
        if !server.saysIfReady { findings += templates }
        // The server's own word, which says since when.
        if let outage = server.outage { findings.insert(.fail("ledger", detail: outage), at: 0) }
        let ledger = server.outage == nil ? ledger(serverAnswers: server.isThere) : []
        return findings + ledger + server.findings + [redis, cable].compactMap { $0 }
            + (configuration.isDevelopment ? development(server, at: now) : production(server, at: now)) + hooks
    }

    /// Of a server that does not run, or does not tell: those that it would show with these settings. One that runs has flags
    /// and files of its own, and says what it finds in `/ready`.
    private var templates: [Finding] {
        do throws(TemplateProblems) {
            let templates = try configuration.templates()
            let warnings = templates.warnings
            let whose =
                templates.hasOwnFolder ? "in \(templates.path)" : "in the program: there is no \(templates.path)"
            if warnings.isEmpty { return [.ok("templates", detail: "there is one for every state \(whose)")] }
            return warnings.map { .warn("templates", detail: $0.description) }
        } catch {
            return error.problems.map { .fail("templates", detail: $0.description) }
        }
    }

    /// The certificate that this server shows to browsers and stores: PEM, as `PAYCAST_TLS_CERT` names it.
    private func certificate(_ file: String, at now: Instant) -> [Finding] {
        guard let chain = CertificateSummary.read(pemFile: file), let leaf = chain.first else {
            return [.fail("TLS certificate", detail: "\(file) holds no readable certificate: use PEM, leaf first")]
        }
        let todo = "renew it; a running server picks up the new file by itself"
        // Automatic renewal happens 30 days before the end; with half of that left, it has failed.
        let expiry = Finding.expiry("TLS certificate", of: leaf, at: now, notice: 14, todo: todo)
        guard chain.count == 1 else { return [expiry] }
        let advice = "append the intermediates, which stores need"
        return [expiry, .warn("TLS chain", detail: "\(file) holds only the leaf: \(advice)")]
    }

    private func ledger(serverAnswers: Bool) -> [Finding] {
        switch configuration.database {
        case .sqlite(let path):
            LedgerCheck(
                ledger: LedgerInspection(path: path),
                isDevelopment: configuration.isDevelopment,
                serverAnswers: serverAnswers
            ).findings
        case .postgres(let url): PostgresCheck(url: url).findings
        }
    }

    private func production(_ server: ServerCheck.Result, at now: Instant) -> [Finding] {
        var findings: [Finding] = []
        var words: [StoreClockAnswer] = []
        for store in expected {
            let ahead = SharedValue<Duration?>(nil)
            var dependencies = dependencies(of: store, now: now, workspace: nil)
            dependencies.timed = { time in
                guard case .answered(let date) = time else { return }
                ahead.replace(with: Clock().now().elapsed(since: date))
            }
            findings += store.examine(dependencies, url: publicAddress)
            guard let seconds = ahead.value?.components.seconds else { continue }
            words.append(StoreClockAnswer(store: type(of: store).name, aheadSeconds: seconds))
        }
        // The server's clock counts, and this command may run on another machine.
        return findings + ClockCheck(words: server.storeClock.map { [$0] } ?? words).findings
    }

    /// The stand-ins run in the server: without the server or its keys, there is nothing to ask.
    private func development(_ server: ServerCheck.Result, at now: Instant) -> [Finding] {
        guard let clock = server.clock else { return [] }
        guard let workspace else {
            return [
                .warn(
                    "stores",
                    detail: "are not asked: their keys are in .paycast/ in the server's folder; run this there"
                )
            ]
        }
        let findings = configuration.stores.flatMap { store in
            store.examine(dependencies(of: store, now: clock, workspace: workspace), url: publicAddress)
        }
        return findings + [ClockCheck.development(now: now, server: clock)]
    }

    private func dependencies(
        of store: any Store,
        now: Instant,
        workspace: DevelopmentWorkspace?
    ) -> StoreDependencies {
        var dependencies = StoreDependencies { now }
        dependencies.catalog = configuration.accessPolicy.catalog
        dependencies.development = workspace.map { [url = remote.url] in
            StoreDevelopment(of: type(of: store).provider, in: $0) { url }
        }
        return dependencies
    }

    private var publicAddress: String? { remote.source == .none ? nil : remote.url }

    /// Whether what a Rails app broadcasts would arrive, with these settings and from here.
    private var redis: Finding? {
        guard let settings = configuration.redis else { return nil }
        guard let problem = settings.problem() else {
            return .ok("redis", detail: "a heartbeat comes back through \(settings.url)")
        }
        return .fail("redis", detail: "\(settings.url): \(problem)")
    }

    private var cable: Finding? {
        CableCheck(
            hasSource: configuration.redis != nil || configuration.railsCable != nil,
            isRails: !configuration.secretKeyBases.isEmpty,
            metrics: CableCheck.metrics(of: remote, client: client)
        ).finding
    }

    /// A development server serves every store: its simulated stores supply the settings that are missing.
    private var expected: [any Store] { configuration.stores.filter(\.isExpected) }

    /// The addresses of the app's backend. Only the server knows what it sends from where: it is asked how they fare and, with
    /// `--send`, to send each a test.
    private var hooks: [Finding] {
        guard !configuration.hooks.isEmpty || sendsTests else { return [] }
        do throws(CommandFailure) {
            return try sendsTests ? hookTrials() : hookStates()
        } catch {
            return [.warn("hooks", detail: "are not checked: \(error.message)")]
        }
    }

    private func hookStates() throws(CommandFailure) -> [Finding] {
        guard let answer = JSON.decode(HooksAnswer.self, from: try remote.get("/hooks")) else { return [] }
        return answer.hooks.map { hook in
            guard hook.state != "ok" else {
                return .ok("hook", detail: "\(hook.url) accepts what it is sent; --send tries it now")
            }
            let detail = "\(hook.url) is \(hook.state): \(hook.reason ?? "see paycast hooks")"
            // A copy that rehearses is well as it is.
            return hook.state == "held" ? .warn("hook", detail: detail) : .fail("hook", detail: detail)
        }
    }

    private func hookTrials() throws(CommandFailure) -> [Finding] {
        let bytes = try remote.post([String: String](), to: "/hooks/test")
        guard let answer = JSON.decode(HookTestAnswer.self, from: bytes) else { return [] }
        guard !answer.hooks.isEmpty else {
            return [.warn("hooks", detail: "there is no address to send a test to: set PAYCAST_HOOK_URLS")]
        }
        return answer.hooks.map { trial in
            let detail = "\(trial.url): \(trial.message)"
            return trial.ok ? .ok("hook", detail: detail) : .fail("hook", detail: detail)
        }
    }
}
