/// The methods that each route takes.
extension Route {
    /// For the `Allow` header.
    public var methods: String {
        switch self {
        case .webhook, .receipts, .offers, .orders, .broadcasts, .anyCableBroadcasts, .replays, .demoStore:
            "POST"
        case .recoveries: "GET, POST"
        // A page of another origin sends a preflight request first.
        case .transactions: "POST, OPTIONS"
        case .streamEntitlements: "GET, OPTIONS"
        case .script, .nativeScript, .openAPI, .up, .ready, .metrics, .file: "GET, HEAD"
        case .demoAPI: "GET, POST, PUT"
        case .server: "OPTIONS"
        case .user: "GET, DELETE"
        case .order, .userEvents, .entitlements, .userStream, .streams, .cable, .feed, .demoEvents: "GET"
        }
    }

    /// The methods of all routes together.
    static let allMethods = "GET, HEAD, POST, PUT, DELETE, OPTIONS"

    func takes(_ method: String) -> Bool {
        method == methods || methods.split(separator: ", ").contains { $0 == method }
    }
}
