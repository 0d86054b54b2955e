internal import Crypto
internal import Domain
internal import HTTPClient
internal import Runtime
internal import Server
internal import Simulator

/// Looks at a server's environment, and says what is wrong with it and what to do.
struct Doctor: Command {
    static let name = "doctor"

    private let url: String?
    private let isDevelopment: Bool
    private let printsJSON: Bool
    private let environment = processEnvironment()
    private let client = HTTPClient(timeout: .seconds(10))

    init(_ arguments: inout Arguments) throws(UsageError) {
        let address = try arguments.option("--url")
        isDevelopment = try arguments.flag("--dev")
        printsJSON = try arguments.flag("--json")
        if let address, !["http://", "https://"].contains(where: { address.hasPrefix($0) && address != $0 }) {
            throw UsageError("--url is an address such as https://pay.example.com, not \(quoted(address))")
        }
        url = address.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    }

    func run() throws(CommandFailure) -> Int32 {
        var findings: [Finding] = []
        do throws(ConfigurationError) {
            let configuration = try Configuration(isDevelopment: isDevelopment, environment: environment)
            findings.append(.ok("settings", "every one of them can be read"))
            findings += configuration.warnings.map { .warn("settings", $0) }
            findings += secrets + examine(configuration)
        } catch {
            findings += error.problems.map { .fail($0.name, $0.text) } + secrets
            findings.append(.warn("stores", "are not looked at before the settings are right"))
        }
        tell(findings)
        return findings.contains { $0.level == .fail } ? 1 : 0
    }

    private func tell(_ findings: [Finding]) {
        guard !printsJSON else {
            return printText(String(decoding: JSONValue.array(findings.map(\.json)).bytes, as: UTF8.self))
        }
        for finding in findings { printText(finding.line) }
    }

    private var secrets: [Finding] {
        let workspace = try? DevelopmentWorkspace.existing(in: ".")
        let keys = workspace.map {
            let stores = $0.storeSecrets
            return [$0.apiKey, $0.streamKey, stores.stripe, stores.revenueCat, stores.purchaseKit]
        }
        return SecretsCheck(
            environment: environment,
            isDevelopment: isDevelopment,
            developmentKeys: keys ?? []
        ).findings
    }

    private func examine(_ configuration: Configuration) -> [Finding] {
        let now = Clock().now()
        let certificates = CertificatesCheck(now: now)
        let stores = stores(configuration)
        var findings: [Finding] = []
        if stores.isEmpty { findings.append(.fail("stores", "none is configured: every webhook answers 503")) }
        if stores.contains(.apple) { findings += appleRoots(configuration, certificates) }
        if let tls = configuration.tls { findings += certificates.served(tls.certificateFile) }
        var others: [(name: String, now: Instant)] = []
        if let url {
            let (found, date) = AddressCheck(url: url, stores: stores, client: client).run()
            findings += found
            if let date { others.append((url, date)) }
        } else {
            findings.append(.warn("address", "is not looked at: say --url https://… of this server"))
        }
        if stores.contains(.apple) {
            let apple = AppleCheck(configuration.apple, roots: roots(configuration.apple), client: client)
            findings += apple.run(now: now)
            if configuration.apple.serverKey != nil, let date = apple.date { others.append(("Apple", date)) }
        }
        findings += ClockCheck(now: now, others: others).findings
        if stores.contains(.google) {
            let google = configuration.google
            findings +=
                GoogleCheck(
                    audience: google.audience,
                    pushAccount: google.pushAccount,
                    credentials: google.credentials?.value,
                    url: url
                ).findings
        }
        return findings
    }

    /// With the development authority's beside them, as the server does.
    private func roots(_ apple: Configuration.Apple) -> TrustedRoots {
        let roots = apple.rootsPath.flatMap { try? TrustedRoots.load(from: $0) } ?? .apple
        guard isDevelopment, let workspace = try? DevelopmentWorkspace.existing(in: ".") else { return roots }
        return TrustedRoots(pem: workspace.root).map { roots + $0 } ?? roots
    }

    private func appleRoots(_ configuration: Configuration, _ certificates: CertificatesCheck) -> [Finding] {
        guard let path = configuration.apple.rootsPath else { return certificates.roots(.apple) }
        do throws(TrustedRootsError) {
            return certificates.roots(try TrustedRoots.load(from: path))
        } catch {
            return [.fail("Apple root", "\(error)")]
        }
    }

    private func stores(_ configuration: Configuration) -> [Provider] {
        Provider.allCases.filter { provider in
            switch provider {
            case .apple: configuration.apple.bundles != .none
            case .google: !configuration.google.packages.isEmpty
            case .stripe: !configuration.stripe.secrets.isEmpty
            case .revenuecat: configuration.revenueCat.authorization != nil
            case .purchasekit: configuration.purchaseKit.secret != nil
            }
        }
    }
}
