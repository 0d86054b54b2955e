internal import Crypto
internal import Domain
internal import Server
internal import Simulator
internal import Stores

/// Where the stores' APIs are, and with which keys they are asked: as the server does, in development too.
struct StorePlaces {
    private let configuration: Configuration
    /// Nil in production.
    private let standIns: (address: String, keys: DevelopmentWorkspace)?

    init(_ configuration: Configuration, standIns: (address: String, keys: DevelopmentWorkspace)?) {
        (self.configuration, self.standIns) = (configuration, standIns)
    }

    /// Apple's API of an environment.
    func apple(_ environment: StoreEnvironment) -> String? {
        let apple = configuration.apple
        if let standIns, apple.serverKey == nil, apple.apiURL == nil {
            return "\(standIns.address)/demo/api/apple/\(environment.rawValue)"
        }
        return apple.apiURL ?? AppleServerAPI.addresses[environment]
    }

    /// Any key opens the stand-in. Nil: there is none; the configuration has read the given one already.
    var appleKey: (key: PrivateKey, id: String, issuer: String)? {
        let given = configuration.apple.serverKey
        if let given, let key = try? PrivateKey(pem: given.key.value) { return (key, given.id, given.issuer) }
        guard given == nil, standIns != nil, let key = try? PrivateKey.generate(.p256) else { return nil }
        return (key, "DEVELOPMENT", "development")
    }

    /// The apps to ask about.
    var appleApps: [String] {
        switch configuration.apple.bundles {
        case .none: []
        case .any: [SimulatedAppStore.bundleID]
        case .only(let names): names.sorted()
        }
    }

    /// Whether the service account may read purchases. Nil without one: its settings tell.
    func google(_ now: Instant) -> Finding? {
        guard let api = googleAPI(now) else { return nil }
        let package = configuration.google.packages.min() ?? SimulatedGooglePlay.package
        let what = "the service account reads purchases of \(package)"
        return ask(
            api,
            "Google API",
            .init(provider: .google, environment: .production, app: package, lineage: id),
            what,
            now
        )
    }

    private func googleAPI(_ now: Instant) -> GooglePlayAPI? {
        let google = configuration.google
        let given = google.credentials.flatMap { GoogleCredentials(json: $0.value) }
        let base = google.apiURL ?? (given == nil ? standIns.map { "\($0.address)/demo/api/google" } : nil)
        let standIn = standIns.map { standIns in
            GoogleCredentials(
                account: SimulatedGooglePlay.serviceAccount,
                keyID: SimulatedGooglePlay.keyID,
                key: standIns.keys.google,
                tokenAddress: "\(base ?? "")/token"
            )
        }
        guard let credentials = given ?? standIn else { return nil }
        return GooglePlayAPI(clock: { now }, credentials: { credentials }) {
            base ?? GooglePlayAPI.address
        }
    }

    /// Whether the key may read subscriptions.
    func stripe(_ now: Instant) -> Finding {
        let stripe = configuration.stripe
        guard let key = stripe.apiKey?.value else {
            let detail = "no key: of two changes within a second the wrong one may stay; set PAYCAST_STRIPE_API_KEY"
            return standIns == nil ? .warn("Stripe API", detail) : .ok("Stripe API", "is not asked: no key is set")
        }
        let api = StripeAPI(key: key, address: stripe.apiURL)
        let environment = StoreEnvironment.allCases.first(where: api.reads) ?? .production
        let contract = ContractKey(provider: .stripe, environment: environment, app: "stripe", lineage: "sub_" + id)
        return ask(api, "Stripe API", contract, "the key reads subscriptions", now)
    }

    /// Asks for a purchase that nobody has made: only whoever may read is told that there is none.
    private func ask(
        _ api: any StoreAPI,
        _ name: String,
        _ contract: ContractKey,
        _ success: String,
        _ now: Instant
    ) -> Finding {
        do throws(StoreAPIError) {
            _ = try api.statement(of: contract, now: now)
            return .ok(name, success)
        } catch {
            switch error {
            case .unavailable(let reason, _): return .fail(name, "no answer: \(reason)")
            case .unauthorized, .refused, .unreadable: return .fail(name, "\(error)")
            }
        }
    }

    private var id: String { "paycastdoctor" }
}
