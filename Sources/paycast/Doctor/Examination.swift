internal import Concurrency
internal import Crypto
internal import Domain
internal import HTTPClient
internal import Ledger
internal import Server
internal import Simulator

/// Everything that can be examined once the settings are readable: certificates, the server, the stores, the clock.
struct Examination {
    private let configuration: Configuration
    private let remote: Remote
    /// The development server's keys; nil if none has run here.
    private let workspace: DevelopmentWorkspace?
    private let client = HTTPClient(timeout: .seconds(10))

    init(_ configuration: Configuration, _ remote: Remote, _ workspace: DevelopmentWorkspace?) {
        (self.configuration, self.remote, self.workspace) = (configuration, remote, workspace)
    }

    func findings() -> [Finding] {
        let now = Clock().now()
        let certificates = CertificatesCheck(now: now)
        let stores = stores
        var findings: [Finding] = []
        if stores.isEmpty {
            let todo = "set the variables of a store, or try it all with “paycast demo”"
            findings.append(.fail("stores", "none is configured: every webhook answers 503; \(todo)"))
        }
        if configuration.gaps.contains(.streamKey) {
            findings.append(.fail("stream key", "\(Configuration.Gap.streamKey)"))
        }
        if stores.contains(.apple) { findings += appleRoots(certificates) }
        if let tls = configuration.tls { findings += certificates.served(tls.certificateFile) }
        let server = ServerCheck(
            remote: remote,
            stores: stores,
            isDevelopment: configuration.isDevelopment,
            client: client
        ).run()
        let ledger = LedgerCheck(
            ledger: LedgerInspection(path: configuration.databasePath),
            isDevelopment: configuration.isDevelopment,
            serverAnswers: server.isThere
        )
        return findings + ledger.findings + server.findings + [cable].compactMap { $0 }
            + (configuration.isDevelopment ? development(server, now) : production(server, stores, now))
    }

    private func production(_ server: ServerCheck.Result, _ stores: [Provider], _ now: Instant) -> [Finding] {
        var findings: [Finding] = []
        var others = server.date.map { [(name: remote.url, now: $0)] } ?? []
        let apis = StoreAPIs(configuration, workspace: nil) { nil }
        let reading = ReadingCheck(apis: apis, now: now)
        if stores.contains(.apple) {
            let apple = AppleCheck(configuration.apple, apis, roots: roots, client: client)
            findings += apple.run(now: now)
            if configuration.apple.serverKey != nil, let date = apple.date { others.append(("Apple", date)) }
        }
        if stores.contains(.google) {
            findings += google.findings + [reading.google()].compactMap { $0 }
        }
        if stores.contains(.stripe) { findings.append(reading.stripe(isDevelopment: false)) }
        return findings + ClockCheck(now: now, others: others).findings
    }

    /// The stand-ins belong to the server: without it, or without its keys, there is no one to ask.
    private func development(_ server: ServerCheck.Result, _ now: Instant) -> [Finding] {
        guard let clock = server.clock else { return [] }
        guard let workspace else {
            return [
                .warn("stores", "are not asked: their keys are in .paycast/ of the server's folder; run this there")
            ]
        }
        let apis = StoreAPIs(configuration, workspace: workspace) { [url = remote.url] in url }
        let reading = ReadingCheck(apis: apis, now: clock)
        let apple = AppleCheck(configuration.apple, apis, roots: roots, client: client).run(now: clock)
        let others = [reading.google(), reading.stripe(isDevelopment: true)]
        return apple + google.findings + others.compactMap { $0 } + [ClockCheck.development(now: now, server: clock)]
    }

    private var cable: Finding? {
        CableCheck(
            hasRedis: configuration.redis != nil,
            isRails: configuration.secretKeyBase != nil,
            metrics: CableCheck.metrics(of: remote, client)
        ).finding
    }

    private var google: GoogleCheck {
        let google = configuration.google
        return GoogleCheck(
            audience: google.audience,
            pushAccount: google.pushAccount,
            credentials: google.credentials?.value,
            url: remote.source == .none ? nil : remote.url,
            isDevelopment: configuration.isDevelopment
        )
    }

    /// Includes the development authority's root, as the server does.
    private var roots: TrustedRoots {
        let roots = configuration.apple.rootsPath.flatMap { try? TrustedRoots.load(from: $0) } ?? .apple
        guard configuration.isDevelopment, let workspace else { return roots }
        return TrustedRoots(pem: workspace.root).map { roots + $0 } ?? roots
    }

    private func appleRoots(_ certificates: CertificatesCheck) -> [Finding] {
        guard let path = configuration.apple.rootsPath else { return certificates.roots(.apple) }
        do throws(TrustedRootsError) {
            return certificates.roots(try TrustedRoots.load(from: path))
        } catch {
            return [.fail("Apple root", "\(error)")]
        }
    }

    /// A development server serves all stores: its simulated stores supply the settings that are missing.
    private var stores: [Provider] {
        Provider.allCases.filter { provider in
            switch provider {
            case _ where configuration.isDevelopment: true
            case .apple: configuration.apple.bundles != .none
            case .google: !configuration.google.packages.isEmpty
            case .stripe: !configuration.stripe.secrets.isEmpty
            case .revenuecat: configuration.revenueCat.authorization != nil
            case .purchasekit: configuration.purchaseKit.secret != nil
            }
        }
    }
}
