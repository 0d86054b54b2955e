internal import CWebSockets
internal import Concurrency
internal import Domain
internal import Glibc
internal import Hub
internal import Observability

/// One thread with one libwebsockets context: all sockets of that thread, and the hub that knows who follows what.
///
/// lws runs libuv's loop and keeps time; libuv reports which socket is ready. Reading, TLS, HTTP and WebSocket frames
/// are ours, so no byte that a stranger wrote reaches either library. A loop is created, run and ended on its own
/// thread; other threads reach it only through its port. Everything here runs to its end without blocking.
final class SocketLoop {
    let settings: LoopSettings
    let port: LoopPort
    /// The other loops of this gateway.
    let peers: [LoopPort]
    let handler: any RequestHandler
    let metrics: GatewayMetrics
    /// Shared by all loops.
    let sessions: CableSessions
    /// Shared by all loops.
    let sentRefreshes: SentRefreshes
    let gate = RequestGate()
    let limiter: ConnectionLimiter
    /// Nil without TLS.
    let security: TLSContext?

    var hub: Hub
    /// Indexed by a subscription's place in the hub's slab.
    var subscribers: ContiguousArray<Subscriber?> = []
    /// All connections until their sockets or streams are closed.
    var connections: [ConnectionID: Connection] = [:]
    /// The feeds that connections follow, and which connection follows which feed.
    var feeds: [StreamName: FeedFilter] = [:]
    var followed: [ConnectionID: StreamName] = [:]
    var wheel = HeartbeatWheel<ConnectionID>(period: LoopSettings.heartbeatTicks)
    var pings = HeartbeatWheel<ConnectionID>(period: LoopSettings.pingTicks)
    /// Connections with a deadline: those that are not pages, and pages that are behind.
    var watched = HeartbeatWheel<ConnectionID>(period: LoopSettings.watchTicks)
    var expiries = ExpiryWheel()
    var draining: Draining?
    var refreshing = Refreshing(pages: StaggeredQueue([]), gap: nil)
    /// WebSockets that were sent a close frame, oldest first, with the tick at which we stop waiting for their answer.
    var partings: [(id: ConnectionID, tick: Int)] = []
    /// Connections that had more to do than one turn allows.
    var busy: [Connection] = []
    /// HTTP/2 clients that have events to handle or more to send.
    var stirred: [Connection] = []
    /// How many connections have ended while their descriptors are still open.
    var leaving = 0
    /// Accepted connections that wait for the places of others that are leaving.
    var waiting: [(descriptor: Int32, peer: IPAddress?)] = []
    var now = 0
    /// The value of `Date` at this tick.
    var date = Clock().now().httpDate
    /// What the metrics have been told of the hub.
    var reported = (collapsed: 0, streams: 0)
    /// The buffer that every socket is read into. Nothing stays in it.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    private var nextConnection: UInt64 = 0
    private let listener: ListeningSocket
    private var spareDescriptor = ListeningSocket.spare()
    private var vhost: OpaquePointer?
    /// The listener as lws sees it; nil once no more connections are accepted.
    private var acceptor: OpaquePointer?
    /// Listening is paused: waiting connections can be neither accepted nor dropped.
    private var pausesListening = false
    private var context: OpaquePointer?
    private var timer: LoopTimer?
    /// Runs while the loop is stopping.
    private var lastSecond: LoopTimer?
    private var turn: LoopTurn?
    /// Whether the loop waits for events, as far as other threads know.
    private var sleeps = true
    /// Ours rather than lws', so that it can be stopped. Never freed: lws' handles stay in it.
    let uv = UnsafeMutablePointer<uv_loop_t>.allocate(capacity: 1)

    init(
        settings: LoopSettings,
        security: TLSContext?,
        listener: ListeningSocket,
        port: LoopPort,
        peers: [LoopPort],
        handler: any RequestHandler,
        metrics: GatewayMetrics,
        limiter: ConnectionLimiter,
        sessions: CableSessions,
        sentRefreshes: SentRefreshes,
        position: Int64
    ) {
        self.settings = settings
        self.limiter = limiter
        self.security = security
        self.listener = listener
        self.port = port
        self.peers = peers
        self.handler = handler
        self.metrics = metrics
        self.sessions = sessions
        self.sentRefreshes = sentRefreshes
        hub = Hub(limits: Hub.Limits(queuedBytes: settings.limits.queuedBytes), position: position)
    }

    deinit {
        buffer.deallocate()
        if spareDescriptor >= 0 { Glibc.close(spareDescriptor) }
    }

    /// Serves until `stop` arrives. `started` learns whether lws is ready.
    func run(started: (Bool) -> Void) {
        guard let context = createContext(), let vhost = lws_get_vhost_by_name(context, "default") else {
            return started(false)
        }
        self.context = context
        self.vhost = vhost
        acceptor = observe(listener.descriptor)
        // lws closes the descriptors that it watches, and the port may outlive this loop, so lws gets a copy.
        guard acceptor != nil, observe(fcntl(port.alarm, F_DUPFD_CLOEXEC, 0)) != nil else { return started(false) }
        turn = LoopTurn(of: uv) { [unowned self] in fallAsleep() }
        timer = LoopTimer(context: context, interval: settings.tick.milliseconds * 1000) { [unowned self] in
            tick()
            goOnListening()
            closeOverdue()
            settle()
            report()
            endWhenStopped()
        }
        port.wake()
        started(true)
        uv_run(uv, UV_RUN_DEFAULT)
        // lws closes its wake descriptor twice when a context is destroyed (vhost.c:998, libuv.c:441), and by then the
        // number may belong to another thread. So the context, which has no connections by now, is kept until the
        // process ends.
        timer = nil
        lastSecond = nil
        turn = nil
    }

    private func createContext() -> OpaquePointer? {
        LWSLog.start()
        var info = lws_context_creation_info()
        info.port = CONTEXT_PORT_NO_LISTEN_SERVER
        info.options = UInt64(paycast_lws_options)
        info.user = Unmanaged.passUnretained(self).toOpaque()
        guard uv_loop_init(uv) == 0 else { return nil }
        var loops: [UnsafeMutableRawPointer?] = [UnsafeMutableRawPointer(uv)]
        return LoopProtocol.with { protocols, retry in
            info.protocols = protocols
            info.retry_and_idle_policy = retry
            return loops.withUnsafeMutableBufferPointer {
                info.foreign_loops = $0.baseAddress
                return lws_create_context(&info)
            }
        }
    }

    /// Has lws watch one of the loop's own descriptors.
    private func observe(_ descriptor: Int32) -> OpaquePointer? {
        guard descriptor >= 0 else { return nil }
        var adopted = lws_sock_file_fd_type()
        adopted.filefd = descriptor
        return lws_adopt_descriptor_vhost(vhost, LWS_ADOPT_RAW_FILE_DESC, adopted, LoopProtocol.name, nil)
    }

    func readable(_ descriptor: Int32) {
        awaken()
        guard descriptor != listener.descriptor else { return accept() }
        port.clear()
        takeMail()
        goOn()
    }

    private func awaken() {
        guard sleeps else { return }
        sleeps = false
        port.awaken()
    }

    /// Runs before libuv waits: from now on, a thread that sends something has to wake this loop.
    private func fallAsleep() {
        if !port.fallAsleep() {
            takeMail()
            // Clients that write into open sockets get their turn between two rounds of mail.
            if !port.fallAsleep() { port.wake() }
        }
        sleeps = true
    }

    /// Accepts 64 at a time, so that the pages get their turn.
    private func accept() {
        for _ in 0..<64 {
            guard acceptor != nil else { return }
            switch listener.accept(sparing: &spareDescriptor) {
            case .connection(let descriptor, let peer): welcome(descriptor, from: peer)
            case .nothing: return
            case .dropped: metrics.refused.add()
            case .stuck: return pauseListening()
            }
        }
    }

    /// Pauses until the next tick.
    private func pauseListening() {
        guard let acceptor, !pausesListening else { return }
        pausesListening = true
        lws_rx_flow_control(acceptor, 0)
    }

    private func goOnListening() {
        guard let acceptor, pausesListening else { return }
        pausesListening = false
        if spareDescriptor < 0 { spareDescriptor = ListeningSocket.spare() }
        lws_rx_flow_control(acceptor, 1)
    }

    /// Takes no more connections: from now on the port refuses them.
    func stopListening() {
        guard let acceptor else { return }
        self.acceptor = nil
        lws_set_timeout(acceptor, PENDING_TIMEOUT_USER_OK, Int32(LWS_TO_KILL_ASYNC))
    }

    var isListening: Bool { acceptor != nil }

    func nextID() -> ConnectionID {
        nextConnection += 1
        return ConnectionID(number: nextConnection)
    }

    /// Runs `body` for a socket that is ready.
    func serve(_ connection: Connection, _ body: (Connection) -> Void) {
        guard connection.isOpen else { return }
        awaken()
        body(connection)
        settle()
    }

    /// Handles what other threads sent.
    private func takeMail() {
        for mail in port.take() {
            switch mail {
            case .reply(let id, let response): replied(id, response)
            case .missed(let id, let missed): sendMissed(missed, to: id)
            case .publish(let publications): publications.forEach(publish)
            case .broadcast(let messages): for message in messages { publish(message) }
            case .refreshPages: refreshPages(for: nil)
            case .forgetRecentMessages: hub.forgetRecentMessages()
            case .forgetRecentMessagesOn(let stream): hub.forgetRecentMessages(on: stream)
            case .identity(let identity): security?.identity = identity
            case .echo(let answer): answer.fulfil(())
            case .drain(let done): drain(done)
            case .stop: return stop()
            }
        }
        settle()
    }

    /// Continues what had to give way.
    private func goOn() {
        welcomeWaiting()
        let due = busy
        busy = []
        for connection in due where connection.isOpen { readable(connection) }
        settle()
    }

    /// Has a connection read once more at the next turn.
    func readAgain(_ connection: Connection) {
        if busy.isEmpty { port.wake() }
        busy.append(connection)
    }

    private func stop() {
        stopListening()
        // Answers that were given have a second to go out.
        for connection in connections.values where !connection.isOwedSomething { end(connection) }
        lastSecond = context.map { LoopTimer(context: $0, interval: 1_000_000) { [unowned self] in uv_stop(uv) } }
    }

    /// Ends the loop once every connection has gone. `lastSecond` ends it otherwise.
    private func endWhenStopped() {
        if lastSecond != nil, connections.isEmpty { uv_stop(uv) }
    }
}
