public import Domain

/// The stores that have routes.
public struct StoreRoutes: Sendable {
    public var webhooks: Set<Provider>
    /// Those whose purchases apps post.
    public var transactions: Set<Provider>
    public var receipts: Set<Provider>
    /// Those that sell offers with the seller's signature.
    public var offers: Set<Provider>

    public init(
        webhooks: Set<Provider>,
        transactions: Set<Provider> = [],
        receipts: Set<Provider> = [],
        offers: Set<Provider> = []
    ) {
        self.webhooks = webhooks
        self.transactions = transactions
        self.receipts = receipts
        self.offers = offers
    }
}

/// All routes of the server.
public enum Route: Sendable, Equatable {
    case webhook(Provider)
    /// Transactions that an app, or its page, got from a store.
    case transactions(Provider)
    /// What apps hold from before there were such transactions.
    case receipts(Provider)
    /// Signs an offer for a store.
    case offers(Provider)
    case orders
    /// One order. The form of `token` is not checked here.
    case order(token: String)
    case user(UserID)
    /// All events, newest first.
    case events
    /// One event, by the store's id or its cursor. The form of `id` is not checked here.
    case event(id: String)
    case userEvents(user: UserID)
    case entitlements(user: UserID)
    /// What a user was charged for.
    case userPurchases(user: UserID)
    /// The pages that a user has open.
    case userPages(user: UserID)
    /// Gives a user a purchase that nobody has.
    case claims(user: UserID)
    case userStream(user: UserID)
    case grants(user: UserID)
    /// What Apple asks about the refund of a transaction, and the answer. The form of `transaction` is not checked here.
    case refund(transaction: String)
    /// A link to the console for one user.
    case userConsole(user: UserID)
    /// One grant. The form of `id` is not checked here.
    case grant(user: UserID, id: String)
    /// Who did what to a user.
    case audit
    /// What has a name.
    case search
    /// What an operator should look at.
    case attention
    /// What the server has counted lately.
    case history
    case broadcasts
    /// Broadcasts in the format of AnyCable's publishers.
    case anyCableBroadcasts
    /// Entitlements, as far as the holder of a signed stream name may know them.
    case streamEntitlements
    /// What everybody was charged for; or one user, as far as the holder of a signed stream name may know it.
    case purchases
    /// What the app sells.
    case catalog
    case streams
    case cable
    case feed
    /// Fetches a store's history now.
    case recoveries
    /// One of them. The form of `id` is not checked here.
    case recovery(id: String)
    /// Processes stored events once more.
    case replays
    /// How the app's backend is told, and a message to try it with.
    case hooks, hookTest, hookDeliveries
    /// Sends a message once more. The form of `delivery` is not checked here.
    case hookResend(delivery: String)
    /// The operators' pages: `/console` and everything below it.
    case console
    case up, ready, metrics
    /// Development only: the simulated store and its event list.
    case demoStore, demoEvents
    /// Development only: a stand-in for a store's API; `path` begins with the store's name.
    case demoAPI(path: String)
    /// `OPTIONS *`: about the server as a whole (RFC 9110 §9.3.7).
    case server
    /// The script that pages of any origin load from us.
    case script
    /// The one for pages of Hotwire Native apps.
    case nativeScript
    /// The document that describes all of these routes to tools.
    case openAPI
    /// A file under `public/`.
    case file(path: String)

    /// `path` is the target's, decoded; `parts` are the same path's, split before they were decoded.
    public init(path: String, parts: @autoclosure () -> [String]?, stores: StoreRoutes) {
        switch path {
        case "*": self = .server
        case "/orders": self = .orders
        case "/broadcasts": self = .broadcasts
        case "/_broadcast": self = .anyCableBroadcasts
        case "/entitlements": self = .streamEntitlements
        case "/purchases": self = .purchases
        case "/catalog": self = .catalog
        case "/streams": self = .streams
        case "/cable": self = .cable
        case "/feed": self = .feed
        case "/audit": self = .audit
        case "/events": self = .events
        case "/search": self = .search
        case "/attention": self = .attention
        case "/history": self = .history
        case "/recoveries": self = .recoveries
        case "/replays": self = .replays
        case "/hooks": self = .hooks
        case "/hooks/test": self = .hookTest
        case "/hooks/deliveries": self = .hookDeliveries
        case "/paycast.js": self = .script
        case "/paycast-native.js": self = .nativeScript
        case "/openapi.json": self = .openAPI
        case "/up": self = .up
        case "/ready": self = .ready
        case "/metrics": self = .metrics
        case "/demo/store": self = .demoStore
        case "/demo/events": self = .demoEvents
        default:
            self =
                Route.store(path, of: stores) ?? Route.console(path) ?? Route.item(parts() ?? [])
                ?? Route.demoAPI(path) ?? .file(path: path)
        }
    }

    /// Whether this machine is answered without a key.
    public var isForOperators: Bool {
        switch self {
        case .ready, .metrics: true
        default: false
        }
    }

    /// Whether requests come here by the thousand, each with something for pages. They wait while the loops are behind.
    public var publishes: Bool {
        switch self {
        case .broadcasts, .anyCableBroadcasts, .grants, .grant, .replays: true
        default: false
        }
    }

    /// Whether a WebSocket may be opened here.
    public var isUpgradable: Bool { self == .streams || self == .cable }

    private static func store(_ path: String, of stores: StoreRoutes) -> Route? {
        if let provider = provider(path, after: "/webhooks/", in: stores.webhooks) { return .webhook(provider) }
        if let provider = provider(path, after: "/transactions/", in: stores.transactions) {
            return .transactions(provider)
        }
        if let provider = provider(path, after: "/receipts/", in: stores.receipts) { return .receipts(provider) }
        return provider(path, after: "/offers/", in: stores.offers).map { .offers($0) }
    }

    private static func provider(_ path: String, after prefix: String, in known: Set<Provider>) -> Provider? {
        guard path.hasPrefix(prefix) else { return nil }
        let provider = Provider(rawValue: String(path.dropFirst(prefix.count)))
        return known.contains(provider) ? provider : nil
    }

    private static func console(_ path: String) -> Route? {
        let prefix = "/console".utf8
        let rest = path.utf8.dropFirst(prefix.count)
        return path.utf8.starts(with: prefix) && (rest.isEmpty || rest.first == UInt8(ascii: "/")) ? .console : nil
    }

    private static func demoAPI(_ path: String) -> Route? {
        let prefix = "/demo/api/"
        return path.hasPrefix(prefix) ? .demoAPI(path: String(path.dropFirst(prefix.count))) : nil
    }
}

/// Routes of one thing, by the paths of the document.
extension Route {
    private static let items: [(path: String, route: @Sendable ([String]) -> Route)] = [
        ("/orders/{token}", { .order(token: $0[0]) }),
        ("/events/{id}", { .event(id: $0[0]) }),
        ("/refunds/apple/{id}", { .refund(transaction: $0[0]) }),
        ("/recoveries/{id}", { .recovery(id: $0[0]) }),
        ("/hooks/deliveries/{id}/resend", { .hookResend(delivery: $0[0]) }),
        ("/users/{user}", { .user(UserID($0[0])) }),
        ("/users/{user}/entitlements", { .entitlements(user: UserID($0[0])) }),
        ("/users/{user}/purchases", { .userPurchases(user: UserID($0[0])) }),
        ("/users/{user}/stream", { .userStream(user: UserID($0[0])) }),
        ("/users/{user}/events", { .userEvents(user: UserID($0[0])) }),
        ("/users/{user}/pages", { .userPages(user: UserID($0[0])) }),
        ("/users/{user}/claims", { .claims(user: UserID($0[0])) }),
        ("/users/{user}/console", { .userConsole(user: UserID($0[0])) }),
        ("/users/{user}/grants", { .grants(user: UserID($0[0])) }),
        ("/users/{user}/grants/{grant}", { .grant(user: UserID($0[0]), id: $0[1]) }),
    ]

    private static let templates = items.map { $0.path.split(separator: "/").map { String($0) } }
    private static let folders = Set(templates.map { $0[0] })

    /// A part in braces is an id: a whole part of the path, whatever bytes it has, but not none. So an id's slashes come escaped,
    /// and an address with a part too many, or another name at its end, is nobody's: no mistyped one reads or erases a user.
    private static func item(_ parts: [String]) -> Route? {
        guard let folder = parts.first, folders.contains(folder), !parts.contains("") else { return nil }
        let found = templates.firstIndex { template in
            template.count == parts.count
                && zip(template, parts).allSatisfy { $0.hasPrefix("{") || $0.hasSameBytes(as: $1) }
        }
        guard let found else { return nil }
        let ids = zip(templates[found], parts).filter { $0.0.hasPrefix("{") }.map { $0.1 }
        return items[found].route(ids)
    }
}

/// Who may do what where.
extension Route {
    /// For the `Allow` header, and the right that a key needs; nil where no key is asked for.
    private var rules: (methods: String, right: Right?) {
        switch self {
        case .broadcasts, .anyCableBroadcasts: ("POST", .publish)
        case .orders, .offers: ("POST", .orders)
        // A page of another origin sends a preflight request first.
        case .transactions, .receipts: ("POST, OPTIONS", .orders)
        case .streamEntitlements, .catalog: ("GET, OPTIONS", nil)
        // Without a stream's name, it lists the charges of all.
        case .purchases: ("GET, OPTIONS", .operate)
        case .order, .event, .search, .userEvents, .userPurchases, .entitlements, .userStream: ("GET", .read)
        case .user, .userPages: ("GET, DELETE", .read)
        case .userConsole: ("POST", .read)
        case .grants, .claims, .replays, .hookTest, .hookResend: ("POST", .act)
        case .grant: ("DELETE", .act)
        case .recoveries, .refund: ("GET, POST", .act)
        case .recovery: ("GET", .act)
        case .audit: ("GET", .personal)
        case .feed, .events, .attention, .history, .hooks, .hookDeliveries: ("GET", .operate)
        case .ready, .metrics: ("GET, HEAD", .operate)
        case .webhook, .demoStore: ("POST", nil)
        case .streams, .cable, .demoEvents: ("GET", nil)
        case .script, .nativeScript, .openAPI, .up, .file: ("GET, HEAD", nil)
        case .demoAPI: ("GET, POST, PUT", nil)
        case .console: ("GET, HEAD, POST", nil)
        case .server: ("OPTIONS", nil)
        }
    }

    public var methods: String { rules.methods }

    /// The right that a key needs here; nil where no key is asked for.
    public func right(_ method: String) -> Right? {
        switch self {
        case .user where method == "DELETE": .erase
        case .userPages where method == "DELETE": .act
        default: rules.right
        }
    }

    /// The methods of all routes together.
    static let allMethods = "GET, HEAD, POST, PUT, DELETE, OPTIONS"

    func takes(_ method: String) -> Bool {
        method == methods || methods.split(separator: ", ").contains { $0 == method }
    }
}

/// What a key may do, by the names of `PAYCAST_KEYS`.
public enum Right: String, CaseIterable, Sendable {
    /// Broadcasts.
    case publish
    /// Orders, purchases that a backend posts, and offers to sign.
    case orders
    /// What users may use, their streams and open pages, and what is known of users, orders and events.
    case read
    /// The bodies of events, which hold what the stores say of a buyer, and who did what to users.
    case personal
    /// Grants, claims, the end of open pages, answers about refunds, replays, recoveries, and messages to the backend once more.
    case act
    case erase
    /// The feed and the list of events, the metrics and their history, the readiness, what needs attention, and how the backend is told.
    case operate
}
