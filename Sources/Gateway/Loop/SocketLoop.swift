import Domain
import HTTP
import Pages
import Support

/// All sockets of one thread, and everything that is known of their clients.
///
/// epoll reports which socket is ready and when the next tick is. Reading, HTTP and WebSocket frames are our own code: each
/// extension is one of a loop's parts. A loop is created, run and ended on its own thread; other threads reach it only
/// through its port. Everything here runs to completion without blocking.
final class SocketLoop {
    let settings: LoopSettings
    /// The port through which other threads reach this loop.
    let port: LoopPort
    /// The ports of the gateway's other loops.
    let peers: [LoopPort]
    let events: EventLoop
    let acceptor: Acceptor
    /// Whether the loop that has a listener accepts for all.
    let acceptsForAll: Bool
    /// The connections that this one has accepted.
    var accepted = 0
    /// Nil without TLS.
    let security: TLSContext?
    /// The buffer into which every socket is read. Nothing stays in it.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// What is left of this turn.
    var turn = LoopTurn()
    /// What other threads sent, and what of it is published and not written yet.
    var inbox = LoopInbox()
    var unwritten = UnwrittenMessages()
    /// A tick waits until nothing is unwritten.
    var isTickDue = false

    /// Ticks since the start.
    private(set) var now = 0
    /// The value of `Date` at this tick. Made once a second.
    private(set) var date = Clock().now().httpDate
    /// True in the loop's last second.
    private var isStopping = false
    /// Streams that are followed here, as far as the metrics know.
    private var shownStreams = 0

    /// All connections until their sockets or streams are closed.
    var connections: [ConnectionID: Connection] = [:]
    var lastNumber: UInt64 = 0
    /// Accepted connections that wait for others to give up their places.
    var acceptQueue = AcceptQueue()
    /// Connections with more to read than one turn allows.
    var unread: [Connection] = []
    /// Clients of HTTP/2 that have events to handle or more to send.
    var pending: [Connection] = []
    var deadlines = TimerWheel<ConnectionID>(period: LoopSettings.deadlineTicks)

    /// Who follows what, and what each one still has to receive.
    var hub: Hub
    /// By their places in the hub's slab.
    var subscribers: ContiguousArray<Subscriber?> = []
    /// The subscriptions whose names end. Each is looked at once a minute, and at the tick when it ends.
    var expiries = TimerWheel<SubscriptionID>(period: 60 * LoopSettings.ticksPerSecond)
    /// The times at which pages and cable clients get their heartbeats.
    var heartbeats = TimerWheel<ConnectionID>(period: LoopSettings.heartbeatTicks)
    /// The feeds that somebody follows, each with what it shows.
    var feeds: [StreamName: EntrySelection] = [:]
    var unions = Unions()
    var heads = RecentHeads()
    /// The pages that are still to be told to reload.
    var reloads = StaggeredQueue<SubscriptionID>([], ticks: 1)
    /// The entry that they are told about; nil if it has no position in the ledger.
    var reloadGap: Int64?
    /// While the gateway drains: the clients that are still to be told, and the promise that waits for it.
    private var drain: (clients: StaggeredQueue<Connection>, done: Promise<Void>)?

    /// Accepts connections from `run` on. `position` is the ledger's newest entry.
    init(
        settings: LoopSettings,
        identity: ServerIdentity?,
        listener: ListeningSocket?,
        acceptsForAll: Bool,
        port: LoopPort,
        peers: [LoopPort],
        position: Int64
    ) throws(SocketSetupError) {
        self.settings = settings
        self.port = port
        self.peers = peers
        security = identity.flatMap(TLSContext.init)
        events = try EventLoop()
        acceptor = Acceptor(listener: listener, events: events)
        self.acceptsForAll = acceptsForAll
        hub = Hub(queuedBytes: settings.limits.queuedBytes, position: position)
        guard identity == nil || security != nil else { throw .noTLS }
        guard acceptor.start(handler: { [unowned self] in accept() }),
            events.observe(port.waker, handler: { [unowned self] in wokenUp() })
        else { throw .cannotWatch }
    }

    deinit {
        buffer.deallocate()
    }

    var limits: Limits { settings.limits }
    var metrics: GatewayMetrics { settings.metrics }

    // MARK: Turns

    /// Serves until `stop` is called.
    func run() {
        port.waker.wake()
        events.run(every: settings.tick, tick: tick, prepare: takeTurn)
    }

    /// Runs ten times a second. What it says to pages comes after what was published before.
    func tick() {
        isTickDue = !unwritten.isEmpty
        guard !isTickDue else { return }
        now += 1
        if now % LoopSettings.ticksPerSecond == 0 { date = Clock().now().httpDate }
        beat()
        for id in takeExpired() { expire(id) }
        reloadSome()
        drainSome()
        closeOverdue()
        acceptor.resume()
        handlePending()
        showHub()
        if isStopping, connections.isEmpty { events.stop() }
    }

    /// Adds the hub's counts to those of all loops, once a tick, so that a publish costs nothing more.
    private func showHub() {
        metrics.collapsed.add(hub.collapsed)
        metrics.streams.add(hub.streamCount - shownStreams)
        hub.collapsed = 0
        shownStreams = hub.streamCount
    }

    private func wokenUp() {
        port.waker.awaken()
        goOn()
        handlePending()
    }

    /// The gateway stops: call it last.
    func stop() {
        acceptor.stop()
        // Answers that were given have a second to go out.
        for connection in connections.values where !connection.isOwedSomething { end(connection) }
        isStopping = true
        events.stop(after: .seconds(1))
    }

    // MARK: Subscriptions

    /// What the page of a subscription missed has been read.
    func sendCatchUp(_ missed: CatchUpBatch, to id: SubscriptionID) {
        guard let subscriber = subscriber(id) else { return }
        switch subscriber.connection.phase {
        case .page(let page): sendCatchUp(missed, to: subscriber, on: page)
        case .cable(let client): share(missed, with: subscriber, of: client)
        default: break
        }
    }

    /// The name of a subscription has ended.
    private func expire(_ id: SubscriptionID) {
        guard let connection = subscriber(id)?.connection else { return }
        switch connection.phase {
        case .page(let page): expire(page, on: connection)
        case .cable(let client): expire(id, of: client)
        default: break
        }
    }

    // MARK: Drain

    /// Accepts no more connections, and tells every client to come back, a few at a time. `done` is fulfilled when
    /// everyone has been told.
    func startDrain(_ done: Promise<Void>) {
        acceptor.stop()
        for connection in connections.values {
            guard case .http2(let client) = connection.phase else { continue }
            // Takes no more requests; running requests continue.
            client.session.goAway()
            flush(client)
        }
        let leaving = connections.values.filter(\.isPage)
        guard !leaving.isEmpty else { return done.fulfil(()) }
        drain = (StaggeredQueue(leaving, ticks: LoopSettings.spreadTicks), done)
        drainSome()
    }

    /// Runs at each tick. The drain is over one tick after the last clients were told.
    private func drainSome() {
        guard let due = drain?.clients.next() else { return }
        for connection in due {
            switch connection.phase {
            case .page(let page): release(page, on: connection)
            case .cable: disconnect(connection, reason: .serverRestart, code: .serviceRestart)
            default: break
            }
        }
        guard due.isEmpty else { return }
        drain?.done.fulfil(())
        drain = nil
    }
}

/// What all loops of a gateway share.
struct LoopSettings: Sendable {
    /// The first part of a cursor's text.
    let epoch: String
    let clock: Clock
    /// The stores that have routes.
    let stores: StoreRoutes
    let limits: Limits
    /// Whose `X-Forwarded-…` headers are believed.
    let proxies: [IPNetwork]
    let tick: Duration
    let handler: any RequestHandler
    let metrics: GatewayMetrics
    let limiter: ConnectionLimiter
    let sessions = CableSessions()
    let sentRefreshes = SentRefreshes()

    static let ticksPerSecond = 10
    /// Each connection with a deadline is checked once a second.
    static let deadlineTicks = 10
    /// The interval between two heartbeats of a page, each page at its own phase.
    static let heartbeatSeconds = 15
    static let heartbeatTicks = heartbeatSeconds * ticksPerSecond
    /// Action Cable's clients consider a connection dead after 6 s without a message.
    static let cableTicks = 3 * ticksPerSecond
    /// The time that a WebSocket may take to answer a close frame.
    static let closingHandshakeSeconds = 2
    /// Counted from the accept. A stalled handshake holds 50 KB.
    static let handshakeSeconds = 10
    /// Answers that one connection gets before it has to reconnect, to balance the load and to bound a connection.
    static let requestLimit = 10_000
    /// The time for which we keep reading from a peer that may not have read our last bytes.
    static let lingerSeconds = 5
    /// The longest time that a drain or a refresh of all pages takes.
    static let spreadTicks = 30

    /// A cable client that vanished silently is given up after this time: it knows after 6 s. An event stream never
    /// asks, so one that was given up while its phone had no network would stay open there, and silent; the kernel
    /// keeps it for a quarter of an hour. To the kernel, a reader that takes nothing has vanished too, so the deadline
    /// of slow readers comes first.
    var deadPeerSeconds: Int32 { Int32(clamping: max(30, limits.writeSeconds + 5)) }
}

/// Things to be done over a few seconds, a few at each tick, so that thousands of pages do not come back at once.
struct StaggeredQueue<Item> {
    private var items: [Item]
    private let perTick: Int

    /// Takes one tick for each 50 items, at most `limit`.
    init(_ items: [Item], ticks limit: Int) {
        self.items = items
        perTick = items.count / min(limit, max(1, items.count / 50)) + 1
    }

    var isEmpty: Bool { items.isEmpty }

    /// Puts back an item that could not be done yet.
    mutating func putBack(_ item: Item) {
        items.insert(item, at: 0)
    }

    /// The elements that are due at this tick.
    mutating func next() -> [Item] {
        let due = items.suffix(perTick)
        items.removeLast(due.count)
        return Array(due)
    }
}
