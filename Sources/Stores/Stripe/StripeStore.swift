public import Domain
public import Encoding
import HTTPClient
public import Support

/// The settings of Stripe.
public struct StripeStore: Store {
    public static let provider = Provider.stripe
    public static let title = "Stripe"
    public static let fields: KeyValuePairs<String, EventField> = [
        "Event type": .type, "Event": .event, "Account": .app, "Product or price": .product,
        "Scheduled product": .next, "Invoice or payment": .charge, "Subscription or payment": .contract,
        "Metadata order": .order, "Period start": .bought, "Period end": .paidUntil, "Refunded": .takenBack,
        "Renews at period end": .renews, "Amount": .price,
    ]
    public static let transactions: (any PostedPurchase.Type)? = PostedStripeSubscription.self
    public static let webhookSecret = "PAYCAST_STRIPE_SECRETS"
    public static let appSetting = "PAYCAST_STRIPE_ACCOUNTS"

    public static let lookup: PurchaseLookup? = PurchaseLookup(key: "PAYCAST_STRIPE_API_KEY") { name in
        StripeAPI.LookupName(name)?.kind
    }

    public static func named(_ id: String, app: String?) -> WireJSON? {
        ["subscription": .text(id), "account": app.map { .text($0) }]
    }

    public static func cancelPage(of contract: String, isTest: Bool) -> CancelPage? {
        .sellers("https://dashboard.stripe.com/\(isTest ? "test/" : "")subscriptions/\(contract.prefix { $0 != "#" })")
    }

    /// `PAYCAST_STRIPE_SECRETS`; empty means that the route answers 503 `not_configured`.
    public var secrets: [Secret]
    /// `PAYCAST_STRIPE_TOLERANCE` in seconds, 300; for the past and the future.
    public var tolerance: Duration
    /// `PAYCAST_STRIPE_ACCOUNTS`: the connected accounts that are served in addition to the endpoints' own.
    public var accounts: [String]
    /// `PAYCAST_STRIPE_API_KEY`: with a key, the current state of a subscription is read from the API; without one, the
    /// events alone decide.
    public var apiKey: Secret?
    /// `PAYCAST_STRIPE_API_URL`.
    public var apiURL: String
    private let isDevelopment: Bool

    public init(_ settings: inout SettingsReader) {
        secrets = settings.secrets("PAYCAST_STRIPE_SECRETS")
        tolerance = .seconds(settings.number("PAYCAST_STRIPE_TOLERANCE", default: 300, in: 1...86_400))
        accounts = settings.list("PAYCAST_STRIPE_ACCOUNTS", expected: "acct_…, as Stripe shows them") {
            $0.hasPrefix("acct_")
        }
        apiKey = settings.secret("PAYCAST_STRIPE_API_KEY")
        apiURL = settings.baseURL("PAYCAST_STRIPE_API_URL") ?? "https://api.stripe.com"
        isDevelopment = settings.isDevelopment
        if apiKey != nil, secrets.isEmpty, !settings.isDevelopment {
            let why = "is required with PAYCAST_STRIPE_API_KEY: it proves who posts"
            settings.reject("PAYCAST_STRIPE_SECRETS", because: why)
        }
    }

    public static func claimedID(of delivery: Delivery) -> String? {
        guard delivery.signature?.contains("v1=") == true, let event = ClaimedID.object(delivery.body),
            event.text("object") == "event"
        else { return nil }
        return ClaimedID.text("id", in: event, prefix: "evt_")
    }

    public var missingSettings: [String] { secrets.isEmpty && !isDevelopment ? ["PAYCAST_STRIPE_SECRETS"] : [] }
    public var hasAPI: Bool { apiKey != nil }

    public mutating func reload(from new: StripeStore, changes: inout SettingsChanges) {
        changes.take("PAYCAST_STRIPE_SECRETS", into: &secrets, from: new.secrets)
        changes.take("PAYCAST_STRIPE_API_KEY", into: &apiKey, from: new.apiKey)
    }

    public func examine(_ dependencies: StoreDependencies, url: String?) -> [Finding] {
        let name = "Stripe API"
        if let api = stripeAPI(dependencies) {
            let (contract, success) = (api.nobodysSubscription, "the key reads subscriptions")
            return [api.finding(name, of: contract, success: success, now: dependencies.clock())]
        }
        if dependencies.development != nil { return [.ok(name, detail: "is not asked: no key is set")] }
        let detail = "no key is set, so of two changes in a second the older may win: set PAYCAST_STRIPE_API_KEY"
        return [.warn(name, detail: detail)]
    }
}

extension StripeVerifier: OpenStore {
    public var api: (any StoreAPI)? { stripeAPI }

    public func find(_ name: String, now: Instant) throws(StoreAPIError) -> [FoundPurchase]? {
        guard var api = stripeAPI else { return nil }
        api.client = HTTPClient(timeout: PurchaseLookup.patience)
        return try api.find(name)
    }
    public var nobodysPurchase: ContractKey? { stripeAPI?.nobodysSubscription }
}

extension StripeStore {
    /// In development, the simulated store's secret is used when none is set.
    public func open(_ dependencies: StoreDependencies) -> StripeVerifier? {
        let given = secrets.map(\.value)
        var verifier = StripeVerifier(
            secrets: given.isEmpty ? [dependencies.development?.secret].compactMap(\.self) : given,
            tolerance: tolerance,
            accounts: Set(accounts),
            catalog: dependencies.catalog,
            unlisted: dependencies.unlisted
        )
        verifier?.stripeAPI = stripeAPI(dependencies)
        verifier?.report = dependencies.report
        verifier?.timed = dependencies.timed
        return verifier
    }

    /// Nil without a key.
    func stripeAPI(_ dependencies: StoreDependencies) -> StripeAPI? {
        apiKey.map {
            StripeAPI(
                key: $0.value,
                address: apiURL,
                catalog: dependencies.catalog,
                client: dependencies.client(),
                observer: dependencies.observer
            )
        }
    }
}

extension StripeAPI {
    /// A subscription that does not exist, in the mode that the key belongs to.
    var nobodysSubscription: ContractKey {
        let environment = StoreEnvironment.ofStores.first(where: reads) ?? .production
        return ContractKey(provider: .stripe, environment: environment, app: "stripe", lineage: "sub_paycastdoctor")
    }
}
