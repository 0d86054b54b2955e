internal import Domain

/// A request that passed the gate: complete, its body bounded.
public struct Request: Sendable {
    public var route: Route
    public var method: String
    public var query: Query
    public var body: [UInt8]
    /// `Host`, or what a trusted proxy was asked for: for absolute addresses in answers.
    public var host: String
    /// What the page connected with; nil when no trusted proxy says.
    public var scheme: Scheme?
    public var origin: String?
    public var authorization: String?
    /// A store's signature of the body: `Stripe-Signature`, `X-PurchaseKit-Signature`.
    public var signature: String?
    public var ifNoneMatch: String?
    public var lastEventID: String?
    /// A page asks for a WebSocket in place of Server-Sent Events.
    public var isWebSocket: Bool
    /// Its sender will send no other on this connection.
    var isLast: Bool
    /// The cable session that a client wants to resume.
    public var sessionID: String?
    /// It comes from this machine, not through a proxy; known for operators' routes and behind trusted proxies only.
    public var isLocal: Bool
    /// Monotonic nanoseconds, for latency.
    public var receivedAt: UInt64
}

/// The part after `?`. libwebsockets has already split and decoded it.
public struct Query: Sendable {
    private let pairs: [(name: String, value: String)]

    public init(_ arguments: [String]) {
        pairs = arguments.map { argument in
            let cut = argument.firstIndex(of: "=") ?? argument.endIndex
            return (String(argument[..<cut]), String(argument[cut...].dropFirst()))
        }
    }

    public subscript(name: String) -> String? { pairs.first { $0.name == name }?.value }
}
