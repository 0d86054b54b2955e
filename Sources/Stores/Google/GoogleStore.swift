public import Domain
public import Encoding
public import Support

/// The settings of Google Play.
public struct GoogleStore: Store {
    public static let provider = Provider.google
    public static let title = "Google Play"
    public static let name = "Google"
    public static let fields: KeyValuePairs<String, EventField> = [
        "Notification type": .type, "State": .subtype, "Message": .event, "Package": .app,
        "Product": .product, "Deferred replacement": .next, "Order id": .charge, "Purchase token": .contract,
        "Linked purchase token": .replaces, "Obfuscated account id": .order, "Started": .bought,
        "Expires": .paidUntil, "Cancelled": .takenBack, "Auto-renewing": .renews, "Price": .price,
    ]
    public static let transactions: (any PostedPurchase.Type)? = PostedGooglePurchase.self
    public static let webhookSecret = "PAYCAST_GOOGLE_AUDIENCE and PAYCAST_GOOGLE_PUSH_ACCOUNT"
    public static let appSetting = "PAYCAST_GOOGLE_PACKAGE"
    public static let historyKey: String? = "PAYCAST_GOOGLE_CREDENTIALS"

    /// Services that export purchases have no token, but an order's number.
    public static func named(_ id: String, app: String?) -> WireJSON? {
        let member = id.utf8.starts(with: "GPA.".utf8) ? "orderId" : "purchaseToken"
        return [member: .text(id), "package": app.map { .text($0) }]
    }

    public static func cancelPage(of contract: String, isTest: Bool) -> CancelPage? {
        .buyers("https://play.google.com/store/account/subscriptions")
    }

    /// `PAYCAST_GOOGLE_PACKAGE`; empty means that the route answers 503 `not_configured`.
    public var packages: Set<String>
    /// `PAYCAST_GOOGLE_AUDIENCE`: the `aud` of the push token.
    public var audience: String?
    /// `PAYCAST_GOOGLE_PUSH_ACCOUNT`: the `email` of the push token.
    public var pushAccount: String?
    /// `PAYCAST_GOOGLE_CREDENTIALS`: the content of the service account's JSON file. Without it, the route is served in
    /// development only, because a push just says that something changed.
    public var credentials: Secret?
    /// `PAYCAST_GOOGLE_CERTS_URL`; nil for Google's own address.
    public var certsURL: String?
    /// `PAYCAST_GOOGLE_API_URL`; nil for Google's own address.
    public var apiURL: String?
    private let isDevelopment: Bool

    public init(_ settings: inout SettingsReader) {
        packages = Set(settings.list("PAYCAST_GOOGLE_PACKAGE", expected: "a package name", isValid: isAppName))
        audience = settings.given("PAYCAST_GOOGLE_AUDIENCE")?.value
        pushAccount = settings.given("PAYCAST_GOOGLE_PUSH_ACCOUNT")?.value
        credentials = settings.googleCredentials()
        certsURL = settings.baseURL("PAYCAST_GOOGLE_CERTS_URL")
        apiURL = settings.baseURL("PAYCAST_GOOGLE_API_URL")
        isDevelopment = settings.isDevelopment
        if !packages.isEmpty, settings.given("PAYCAST_GOOGLE_CREDENTIALS") == nil, !settings.isDevelopment {
            settings.warn(
                "PAYCAST_GOOGLE_CREDENTIALS is not set: /webhooks/google answers 503, purchases cannot be read"
            )
        }
        // Without them, any Google account could sign for us.
        let needed = [("PAYCAST_GOOGLE_AUDIENCE", audience), ("PAYCAST_GOOGLE_PUSH_ACCOUNT", pushAccount)]
        for (name, value) in needed where value == nil && !packages.isEmpty && !settings.isDevelopment {
            settings.reject(name, because: "is required with PAYCAST_GOOGLE_PACKAGE: it proves who pushes")
        }
    }

    /// A push of Pub/Sub has a number as its id, and a token.
    public static func claimedID(of delivery: Delivery) -> String? {
        guard (try? GooglePushToken(delivery.authorization)) != nil,
            let id = ClaimedID.text("messageId", in: ClaimedID.object(delivery.body)?.object("message")),
            id.utf8.allSatisfy(\.isDigit)
        else { return nil }
        return id
    }

    public var missingSettings: [String] {
        guard !isDevelopment else { return [] }
        let needed: KeyValuePairs = [
            "PAYCAST_GOOGLE_PACKAGE": !packages.isEmpty, "PAYCAST_GOOGLE_CREDENTIALS": credentials != nil,
        ]
        return needed.filter { !$0.value }.map(\.key)
    }

    public var isExpected: Bool { isDevelopment || !packages.isEmpty }
    public var hasAPI: Bool { missingSettings.isEmpty }

    public mutating func reload(from new: GoogleStore, changes: inout SettingsChanges) {
        changes.take("PAYCAST_GOOGLE_CREDENTIALS", into: &credentials, from: new.credentials)
    }
}

extension SettingsReader {
    fileprivate mutating func googleCredentials() -> Secret? {
        guard let given = given("PAYCAST_GOOGLE_CREDENTIALS") else { return nil }
        guard let text = textOrContents(of: given.value) else {
            reject(given.name, because: "\(shownPath(given.value)) is neither JSON nor a file that can be read")
            return nil
        }
        if GoogleCredentials(json: text) != nil { return Secret(text) }
        reject(given.name, because: "\(shownPath(given.value)) is not the JSON key file of a service account")
        return nil
    }
}

/// Google Play with its settings in force.
public struct OpenGoogleStore: OpenStore {
    let settings: GoogleStore
    let development: StoreDevelopment?
    /// Verifies pushes, and reads the purchases that they are about.
    let reader: GoogleVerifier

    public var verifier: any StoreVerifier { reader }
    public var api: (any StoreAPI)? { reader.api }
    public var nobodysPurchase: ContractKey? { settings.nobodysPurchase(development) }

    /// Of the simulated package when the development server's stand-in answers and no package is set.
    public var history: HistorySource? {
        let isStandIn = development != nil && settings.credentials == nil && settings.apiURL == nil
        let simulated = isStandIn ? [development?.app].compactMap(\.self) : []
        let packages = settings.packages.isEmpty ? simulated : settings.packages.sorted()
        guard !packages.isEmpty else { return nil }
        let lists = packages.map { reader.voidedPurchases(of: $0) }
        let words = GoogleVerifier.historyWords
        return HistorySource(words: words, lists: lists, asksForEntries: true, isStandIn: isStandIn)
    }
}

extension GoogleStore {
    /// A push says nothing without its purchase, so without a service account nothing is served. In development, the
    /// stand-in and its account replace the settings that are missing.
    public func open(_ dependencies: StoreDependencies) -> OpenGoogleStore? {
        let development = dependencies.development
        guard development != nil || !packages.isEmpty, let api = playAPI(dependencies),
            let audience = audience ?? development?.account?.audience,
            let pushAccount = pushAccount ?? development?.account?.pushAccount
        else { return nil }
        let reader = GoogleVerifier(
            packages: packages.isEmpty ? .any : .only(packages),
            standardPackage: packages.isEmpty ? development?.app : nil,
            expected: (audience, pushAccount),
            keys: keys(dependencies),
            api: api,
            report: dependencies.report
        )
        return OpenGoogleStore(settings: self, development: development, reader: reader)
    }

    /// Nil without a service account.
    func playAPI(_ dependencies: StoreDependencies) -> GooglePlayAPI? {
        let development = dependencies.development
        let given = credentials.flatMap { GoogleCredentials(json: $0.value) }
        guard given != nil || development?.account != nil else { return nil }
        let address: @Sendable () -> String? = { [apiURL] in
            apiURL ?? (given == nil ? development?.address() : GooglePlayAPI.address)
        }
        return GooglePlayAPI(
            catalog: dependencies.catalog,
            client: dependencies.client(),
            observer: dependencies.observer,
            clock: dependencies.clock,
            credentials: {
                if let given { return given }
                guard let known = development?.account, let url = address().map({ "\($0)/token" }) else { return nil }
                return GoogleCredentials(account: known.name, keyID: known.keyID, key: known.key, tokenAddress: url)
            },
            address: address
        )
    }

    func nobodysPurchase(_ development: StoreDevelopment?) -> ContractKey {
        let app = packages.min() ?? development?.app ?? ""
        return ContractKey(provider: .google, environment: .production, app: app, lineage: "paycastdoctor")
    }

    /// In development, the simulated store's keys sign the pushes, unless a push account is configured.
    private func keys(_ dependencies: StoreDependencies) -> GoogleKeys {
        let development = dependencies.development
        let isStandIn = development != nil && pushAccount == nil
        return GoogleKeys(client: dependencies.client(), observer: dependencies.keysObserver) { [certsURL] in
            certsURL ?? (isStandIn ? development?.address().map { "\($0)/certs" } : GoogleKeys.address)
        }
    }
}

extension GoogleStore {
    public func examine(_ dependencies: StoreDependencies, url: String?) -> [Finding] {
        guard let api = playAPI(dependencies) else { return settingsFindings(url: url) }
        let contract = nobodysPurchase(dependencies.development)
        let success = "the service account reads purchases of \(contract.app)"
        let now = dependencies.clock()
        return settingsFindings(url: url) + [api.finding("Google API", of: contract, success: success, now: now)]
    }

    /// Checks the settings as far as possible without asking Google. `url` is the server's public address, if it was given.
    /// In development, the simulated store supplies the settings that are missing.
    func settingsFindings(url: String?) -> [Finding] {
        let all = [
            (audience, audienceFinding(url)), (pushAccount, accountFinding), (credentials?.value, credentialsFinding),
        ]
        return all.filter { $0.0 != nil || !isDevelopment }.map(\.1)
    }

    private func audienceFinding(_ url: String?) -> Finding {
        let name = "Google audience"
        guard let audience else {
            let todo = "name the push subscription's audience, which proves that a push is meant for this server"
            return .fail(name, detail: "PAYCAST_GOOGLE_AUDIENCE is not set: \(todo)")
        }
        if let url, audience.hasPrefix("http"), audience != url + "/webhooks/google" {
            let todo = "both sides must name the same audience"
            return .warn(name, detail: "is not \(url)/webhooks/google, Pub/Sub's default: \(todo)")
        }
        return .ok(name, detail: "must be the subscription's “audience”, word for word")
    }

    private var accountFinding: Finding {
        let name = "Google push account"
        let todo = "name the push subscription's service account"
        guard let pushAccount else { return .fail(name, detail: "PAYCAST_GOOGLE_PUSH_ACCOUNT is not set: \(todo)") }
        return pushAccount.hasSuffix(".gserviceaccount.com")
            ? .ok(name, detail: "is a service account")
            : .warn(name, detail: "does not end with .gserviceaccount.com: \(todo)")
    }

    private var credentialsFinding: Finding {
        let name = "Google credentials"
        guard let credentials else {
            let why = "PAYCAST_GOOGLE_CREDENTIALS is not set, so purchases cannot be read and pushes answer 503"
            return .fail(name, detail: "\(why): name a service account's key file")
        }
        let file = JSONNode(credentials.value)
        guard file?["type"]?.text == "service_account", let email = file?["client_email"]?.text,
            file?["private_key"]?.text?.contains("BEGIN PRIVATE KEY") == true
        else {
            let todo = "create one in Google Cloud, IAM, Keys"
            return .fail(name, detail: "is not a service account's JSON key file: \(todo)")
        }
        return .ok(name, detail: "\(quoted(email)) needs “View financial data” and “Manage orders” in Play Console")
    }
}
