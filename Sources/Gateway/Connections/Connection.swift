import HTTP
import Pages

/// The state of one client between two callbacks: a connection of its own, or one request over HTTP/2.
///
/// Held by the loop's table of connections and by the watch of its socket. Confined to its loop's thread.
final class Connection {
    enum Phase {
        /// The TLS handshake is in progress.
        case shaking
        /// A request is arriving, or the next one is awaited.
        case reading
        /// Another thread works on the answer.
        case waiting(Terms)
        /// A file goes out piece by piece.
        case sending(FileBody, Terms)
        /// A page with one subscription.
        case page(Page)
        /// A client that follows any number of streams.
        case cable(CableConnection)
        /// A client that speaks HTTP/2: its requests are connections themselves.
        case http2(HTTP2Connection)
        /// Our close frame is out; the client has a moment to answer it.
        case closeSent
        /// The last bytes written are still on their way.
        case closing
        /// Everything is written. Bytes that still arrive are read and dropped, so that no reset overtakes the answer.
        case lingering
        case ended
    }

    /// The terms under which an answer is given.
    struct Terms {
        /// The sender may send another request afterwards.
        var keepAlive: Bool
        var includesBody: Bool
        /// The sender may still be sending.
        var lingers = false

        /// The connection ends with the answer.
        static let refusal = Terms(keepAlive: false, includesBody: true, lingers: true)
    }

    let id: ConnectionID
    let link: any Link
    /// `link`, if the connection has its socket to itself; nil over HTTP/2.
    let socket: Socket?
    var phase: Phase
    /// Bytes that have arrived and have not been read yet.
    var input = RequestBuffer()
    /// A request whose body is arriving.
    var expected: (request: Request, length: Int, terms: Terms)?
    /// Reads a WebSocket's frames; nil before the upgrade.
    var frames: FrameReader?
    /// The number of answers that it has been given.
    var answers = 0
    /// Whether the peer may still be sending when we close the connection.
    var lingers = false
    /// The peer has closed its side: nothing more will arrive.
    var hasEnded = false
    /// A page or a cable client whose socket accepts no more for now: the hub collects for it.
    var isBlocked = false
    /// The address of the peer; nil if the kernel did not tell it.
    let peer: IPAddress?
    /// The address for which it counts: its peer or, behind a trusted proxy, the client of its last request.
    var client: IPAddress?
    /// The limiter's decision. A rejected connection counts for nobody.
    var admission: ConnectionLimiter.Admission
    /// The loop's tick at which its time is up; `Int.max` while it has no deadline.
    var deadline = Int.max
    /// Its id is on the wheel of deadlines, which looks at it once a second.
    var isWatched = false
    /// The tick at which it was given its deadline.
    var quietSince = 0
    /// The bytes that its peer had confirmed when its time to read began.
    var progress: UInt64 = 0

    init(
        id: ConnectionID,
        link: any Link,
        socket: Socket? = nil,
        phase: Phase,
        peer: IPAddress?,
        admission: ConnectionLimiter.Admission
    ) {
        self.id = id
        self.link = link
        self.socket = socket
        self.phase = phase
        self.peer = peer
        self.client = peer
        self.admission = admission
    }

    /// True if it follows streams: a page, or a client of Action Cable.
    var isPage: Bool { isWebSocket != nil }

    var subscriptions: [SubscriptionID] {
        switch phase {
        case .page(let page): [page.subscription]
        case .cable(let client): client.session.ids
        default: []
        }
    }

    /// True if it takes text frames; nil if it follows nothing.
    var isWebSocket: Bool? {
        switch phase {
        case .page(let page): !page.transport.isResponse
        case .cable: true
        default: nil
        }
    }

    var isOpen: Bool {
        if case .ended = phase { false } else { true }
    }

    /// An answer is on its way to it.
    var isOwedSomething: Bool {
        switch phase {
        case .closing, .sending, .lingering: true
        case .reading: link.isBehind
        case .http2(let client): !client.isIdle
        default: false
        }
    }
}

/// The state of a connection with one subscription.
final class Page {
    let transport: Transport
    let subscription: SubscriptionID
    /// Turbo's source element, which can be told to connect elsewhere.
    let source: SourceElement?
    /// For a feed: reads the part of the ledger after a position.
    let reading: PageRequest.Reading?
    /// For a feed with more to read: where to continue, once its reader has taken what was sent.
    var reached: Int64?
    /// For an event stream: goes out together with the first block, which saves one `send`.
    var opening: ResponseHead?
    /// The bytes that it had confirmed when a ping went out; nil once anything has come back.
    var unansweredPing: UInt64?

    init(_ request: PageRequest, as transport: Transport, subscription: SubscriptionID, opening: ResponseHead?) {
        self.transport = transport
        self.subscription = subscription
        self.opening = opening
        source = request.source
        reading = request.feed?.reading
    }
}

/// The state of a connection that speaks Action Cable.
final class CableConnection {
    /// Its socket's, which holds it: no WebSocket is served over HTTP/2.
    unowned let connection: Connection
    let transport: Transport
    /// Identifies the session of a returning client; nil in the base protocol.
    let sid: String?
    var session: CableSession
    /// Subscriptions whose missed messages are still to be read, one after the other: what a connection has not taken
    /// stays in the ledger, and its user takes turns with others.
    var waiting: [(id: SubscriptionID, request: PageRequest)] = []
    /// The one whose missed messages are being read.
    var reading: (id: SubscriptionID, request: PageRequest)?
    /// Resumed subscriptions whose client has not told yet what it has seen, each with how it goes on if it never does.
    var resumed: [(id: SubscriptionID, request: PageRequest)] = []
    /// The pings that were sent.
    var pings = 0
    /// Whether a proxy passes on what is written: what it confirms may never arrive.
    let isForwarded: Bool
    /// The bytes of confirmations and rejections that were sent since the socket stopped accepting bytes.
    var owed = 0

    /// The confirmations of all subscriptions that a connection may have, 4 KB each.
    static let owedLimit = 400 << 10

    init(on connection: Connection, sid: String?, isForwarded: Bool, limits: Limits) {
        self.connection = connection
        self.isForwarded = isForwarded
        transport = sid == nil ? .cable : .extendedCable
        self.sid = sid
        session = CableSession(limits: limits)
    }
}

extension Connection {
    /// True if none of its complete heads waits for a body or for an answer, and no answer waits to be sent.
    var isSilent: Bool {
        switch phase {
        case .shaking, .lingering: true
        case .reading: expected == nil && !link.isBehind && socket != nil
        case .http2(let client): client.isIdle
        default: false
        }
    }
}

extension Connection {
    /// The number of bytes that a client may send ahead of the answer that it waits for.
    private static let readAhead = 64 << 10

    /// Whether more may be read. The limits of the request that the waiting bytes belong to bound them.
    var takesInput: Bool {
        switch phase {
        case .reading where link.isBehind: input.count < Connection.readAhead && !hasEnded
        case .waiting, .sending: input.count < Connection.readAhead && !hasEnded
        case .http2: !link.isBehind
        case .closing: false
        default: true
        }
    }
}
