internal import Hub

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
        case upgrading(PageRequest)
        /// A page that follows a stream.
        case page(Page)
        /// Nothing more will be said; close at the next callback, with a code when it is a WebSocket.
        case closing(code: UInt16)
    }

    let id: ConnectionID
    let socket: Socket
    var phase = Phase.idle
    /// It has been answered before: what it sends next may already be in lws' buffer.
    var isReused = false
    /// More bytes came after a body before it was answered: close after the answer.
    var hasPipelined = false
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
    /// What its peer had confirmed when it fell behind.
    var acknowledged: UInt64 = 0

    init(id: ConnectionID, socket: Socket, peer: IPAddress?, place: Census.Place) {
        self.id = id
        self.socket = socket
        self.peer = peer
        self.client = peer
        self.place = place
    }
}

/// What a connection that follows a stream needs.
struct Page {
    enum Transport {
        case eventStream, webSocket, feed
    }

    let transport: Transport
    let subscription: SubscriptionID
    let heartbeat: HeartbeatWheel<ConnectionID>.Handle
    /// The loop's tick at which the kernel last stopped taking bytes; nil while it takes them.
    var behindSince: Int?
    /// A ping is on its way and nothing has come back.
    var isPinged = false
}
