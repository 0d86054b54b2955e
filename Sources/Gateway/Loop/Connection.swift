internal import Cable
internal import Hub
internal import Runtime

/// One socket's state between two callbacks. Owned by lws' per-connection pointer; confined to its loop's thread.
final class Connection {
    enum Phase {
        /// Between two requests, or before the first.
        case idle
        /// A body is arriving.
        case collecting(Request, remaining: Int)
        /// Another thread works on the answer. `keepAlive`: the sender may send another request afterwards.
        case waiting(keepAlive: Bool, includesBody: Bool)
        /// The answer is here and waits for the writable callback.
        case answering(Response, keepAlive: Bool, includesBody: Bool)
        /// An upgrade was granted; the WebSocket is about to be established.
        case upgrading(Upgrade)
        /// A page that follows one stream.
        case page(Page)
        /// A client that follows any number of streams.
        case cable(CableClient)
        /// Nothing more will be said.
        case closing
    }

    /// What a WebSocket is to become.
    enum Upgrade {
        case page(PageRequest)
        case cable(CableOpening)
    }

    let id: ConnectionID
    let socket: Socket
    var phase = Phase.idle
    /// It has been answered before: what it sends next may already be in lws' buffer.
    var isReused = false
    /// The last body came with a key.
    var isTrusted = false
    /// No proxy passes others' requests on over it.
    var isDirect = false
    /// It belongs to somebody who holds a key, and is read without lws' parser.
    var parser: RequestParser?
    /// A publisher's request has begun to arrive.
    var isReading = false
    /// Where its publisher's requests are read from now on.
    var successor: ConnectionID?
    /// More bytes came after a body before it was answered: close after the answer.
    var hasPipelined = false
    /// The loop's tick at which the kernel last stopped taking bytes; nil while it takes them.
    var behindSince: Int?
    /// Who opened it; nil when the kernel did not say.
    let peer: IPAddress?
    /// Whom it counts for: its peer or, behind a proxy of ours, the client of its last request.
    var client: IPAddress?
    /// What it may do; with `none` it counts for nobody.
    var place: Census.Place
    /// Where it stands among those that are watched for the time they take; nil for a page.
    var watch: HeartbeatWheel<ConnectionID>.Handle?
    /// The loop's tick at which its time is up, while it is watched.
    var deadline = Int.max
    /// What the client of a stream of HTTP/2 has taken; nil for a connection of its own.
    var taken: Counter?
    /// What its peer had confirmed when it fell behind.
    var acknowledged: UInt64 = 0

    init(id: ConnectionID, socket: Socket, peer: IPAddress?, place: Census.Place) {
        self.id = id
        self.socket = socket
        self.peer = peer
        self.client = peer
        self.place = place
    }

    /// Bytes that its client has confirmed.
    var confirmedBytes: UInt64 { taken.map { UInt64($0.value) } ?? socket.acknowledgedBytes }

    var subscriptions: [SubscriptionID] {
        switch phase {
        case .page(let page): [page.subscription]
        case .cable(let client): client.session.handles
        case .idle, .collecting, .waiting, .answering, .upgrading, .closing: []
        }
    }

    /// It takes text frames; nil when it follows nothing.
    var isWebSocket: Bool? {
        switch phase {
        case .page(let page): !page.transport.isResponse
        case .cable: true
        case .idle, .collecting, .waiting, .answering, .upgrading, .closing: nil
        }
    }
}

/// What a connection that follows one stream needs.
final class Page {
    let transport: Transport
    let subscription: SubscriptionID
    let heartbeat: HeartbeatWheel<ConnectionID>.Handle
    /// How Turbo's source element can be told to go elsewhere.
    let source: SourceElement?
    /// A ping is on its way and nothing has come back.
    var isPinged = false

    init(
        transport: Transport,
        subscription: SubscriptionID,
        heartbeat: HeartbeatWheel<ConnectionID>.Handle,
        source: SourceElement?
    ) {
        self.transport = transport
        self.subscription = subscription
        self.heartbeat = heartbeat
        self.source = source
    }
}
