public import Domain

/// All routes of the server.
public enum Route: Sendable, Equatable {
    case webhook(Provider)
    /// Transactions that an app, or its page, got from Apple.
    case appleTransactions
    /// The same for Google.
    case googleTransactions
    case appleReceipts
    case orders
    /// One order. The form of `token` is not checked here.
    case order(token: String)
    case user(UserID)
    case userEvents(user: UserID)
    case entitlements(user: UserID)
    case userStream(user: UserID)
    case broadcasts
    /// The same in the format of AnyCable's publishers.
    case anyCableBroadcasts
    case streams
    case cable
    case feed
    /// Fetches a store's history now.
    case recoveries
    /// Processes stored events once more.
    case replays
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

    /// `stores` are those whose webhooks are known.
    public init(path: String, stores: Set<Provider>) {
        switch path {
        case "*": self = .server
        case "/transactions/apple": self = .appleTransactions
        case "/transactions/google": self = .googleTransactions
        case "/receipts/apple": self = .appleReceipts
        case "/orders": self = .orders
        case "/broadcasts": self = .broadcasts
        case "/_broadcast": self = .anyCableBroadcasts
        case "/streams": self = .streams
        case "/cable": self = .cable
        case "/feed": self = .feed
        case "/recoveries": self = .recoveries
        case "/replays": self = .replays
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
                Route.webhook(path, of: stores) ?? Route.user(path) ?? Route.order(path) ?? Route.demoAPI(path)
                ?? .file(path: path)
        }
    }

    /// For the `Allow` header.
    public var methods: String {
        switch self {
        case .webhook, .appleReceipts, .orders, .broadcasts, .anyCableBroadcasts, .replays, .demoStore:
            "POST"
        case .recoveries: "GET, POST"
        // A page of another origin sends a preflight request first.
        case .appleTransactions, .googleTransactions: "POST, OPTIONS"
        case .script, .nativeScript, .openAPI, .up, .ready, .metrics, .file: "GET, HEAD"
        case .demoAPI: "GET, POST, PUT"
        case .server: "OPTIONS"
        case .order, .user, .userEvents, .entitlements, .userStream, .streams, .cable, .feed, .demoEvents: "GET"
        }
    }

    /// The methods of all routes together.
    static let allMethods = "GET, HEAD, POST, PUT, OPTIONS"

    func takes(_ method: String) -> Bool {
        method == methods || methods.split(separator: ", ").contains { $0 == method }
    }

    /// Whether this machine is answered without a key.
    var isForOperators: Bool {
        switch self {
        case .ready, .metrics: true
        default: false
        }
    }

    /// Whether a WebSocket may be opened here.
    var isUpgradable: Bool {
        switch self {
        case .streams, .cable: true
        default: false
        }
    }

    private static func webhook(_ path: String, of stores: Set<Provider>) -> Route? {
        guard path.hasPrefix("/webhooks/") else { return nil }
        let provider = Provider(rawValue: String(path.dropFirst("/webhooks/".count)))
        return stores.contains(provider) ? .webhook(provider) : nil
    }

    private static func demoAPI(_ path: String) -> Route? {
        let prefix = "/demo/api/"
        return path.hasPrefix(prefix) ? .demoAPI(path: String(path.dropFirst(prefix.count))) : nil
    }

    /// User ids may contain slashes: the id is everything between the prefix and a known suffix, or everything after
    /// the prefix when there is no known suffix.
    private static func user(_ path: String) -> Route? {
        let (bytes, prefix) = (path.utf8, "/users/".utf8)
        // By bytes: a character that combines with the slash before it belongs to the id.
        guard bytes.starts(with: prefix) else { return nil }
        let rest = bytes.dropFirst(prefix.count)
        for (suffix, route) in [
            ("/entitlements", Route.entitlements), ("/stream", Route.userStream), ("/events", Route.userEvents),
        ]
        where rest.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) {
            return String(rest.dropLast(suffix.utf8.count)).map { route(UserID($0)) }
        }
        return rest.isEmpty ? nil : String(rest).map { .user(UserID($0)) }
    }

    private static func order(_ path: String) -> Route? {
        let (bytes, prefix) = (path.utf8, "/orders/".utf8)
        guard bytes.starts(with: prefix), bytes.count > prefix.count else { return nil }
        return String(bytes.dropFirst(prefix.count)).map { .order(token: $0) }
    }
}
