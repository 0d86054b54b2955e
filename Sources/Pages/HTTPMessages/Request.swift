public import Domain
public import HTTP
public import Support

/// A request whose head was accepted (`RequestHeadCheck`): complete, its body bounded.
public struct Request: Sendable {
    public var route: Route
    public var head: RequestHead
    public var body: [UInt8]
    /// `Host`, or what a trusted proxy was asked for: for absolute addresses in answers.
    public var host: String
    /// The scheme that the page used; nil when no trusted proxy states it.
    public var scheme: Scheme?
    /// Whether it comes from this machine, not through a proxy. Known on operators' routes and behind trusted proxies
    /// only.
    public var isLocal: Bool
    /// Whose request it is, as far as proxies let us know.
    public var client: IPAddress?
    /// When it arrived, to measure latency.
    public var receivedAt: MonotonicTime

    public init(
        route: Route,
        head: RequestHead,
        body: [UInt8],
        host: String,
        scheme: Scheme?,
        isLocal: Bool,
        client: IPAddress? = nil,
        receivedAt: MonotonicTime
    ) {
        self.route = route
        self.head = head
        self.body = body
        self.host = host
        self.scheme = scheme
        self.isLocal = isLocal
        self.client = client
        self.receivedAt = receivedAt
    }

    public var method: String { head.method }
    public var query: Query { head.query }
    public var origin: String? { head[.origin] }
    /// Where a browser says the request comes from, relative to us: `same-origin`, `same-site`, `cross-site` or `none`.
    public var fetchSite: String? { head[.fetchSite] }
    public var authorization: String? { head[.authorization] }
    /// The value of `Authorization`, as bytes of the head.
    public var credentials: ArraySlice<UInt8>? { head.bytes(.authorization) }
    /// The right that its key needs; nil where no key is asked for.
    public var right: Right? { route.right(method) }
    public var lastEventID: String? { head[.lastEventID] }
    /// What a browser sends back of what it was told to keep (RFC 6265 §5.4).
    public var cookies: String? { head.field(named: "cookie") }
    /// A client's name for this request.
    public var idempotencyKey: String? { head[.idempotencyKey] }
    /// What the app's backend calls the tap that it serves; nil for none, and for what is malformed.
    public var trace: TraceID? { head[.traceparent].flatMap { TraceID(traceparent: $0) } }
    /// Whether a page asks for a WebSocket instead of Server-Sent Events.
    public var isWebSocket: Bool { head.asksForWebSocket }
    /// The cable session that a client wants to resume.
    public var sessionID: String? { head.query["sid"] ?? head[.restoredSession] }
    /// The subprotocol that the client prefers among those that we speak.
    public var offeredProtocol: CableProtocol? {
        let offers = (head[.webSocketProtocol] ?? "").utf8.split(separator: UInt8(ascii: ","))
        for offer in offers {
            let name = offer.drop { $0 == UInt8(ascii: " ") }
            if let known = CableProtocol(rawValue: String(Substring(name))) { return known }
        }
        return nil
    }
}

/// Answers the requests of the socket loops. Called on a loop's thread, so it must not block.
public protocol RequestHandler: Sendable {
    /// Whether the operators' pages are there now. Without them, their addresses are like all that mean nothing.
    var hasConsole: Bool { get }

    func handle(_ request: Request) -> Answer

    /// A request was refused by its head alone, with `response`.
    func refused(_ request: Request, with response: Response)

    /// Decides whether a cable client may follow a stream, and what it missed. `history` is what a client of the
    /// extended protocol has seen.
    func subscribe(_ parameters: CableParameters, history: CableHistory?) -> CableVerdict
}

extension RequestHandler {
    public var hasConsole: Bool { false }

    public func refused(_ request: Request, with response: Response) {}
}

/// A route's answer to a request.
public enum Answer: Sendable {
    case respond(Response)
    /// Transient messages for the pages of all loops, and the answer to their sender.
    case broadcast([Message], Response)
    /// Another thread answers: the closure hands it the reply, or returns false when it cannot.
    case later(@Sendable (Reply) -> Bool)
    /// A page stays connected.
    case open(PageRequest)
    /// A WebSocket becomes a connection that speaks Action Cable.
    case openCable
}

/// The way back to one waiting connection, from any thread. Only the first `send` counts, and none once it is gone.
public struct Reply: Sendable {
    private let deliver: @Sendable (Response) -> Void

    /// `deliver` is called at each `send`, on its thread.
    public init(deliver: @escaping @Sendable (Response) -> Void) { self.deliver = deliver }

    /// Hands the answer to the thread that the connection belongs to.
    public func send(_ response: Response) { deliver(response) }
}
