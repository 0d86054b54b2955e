internal import ActionCable
internal import Admission
internal import Concurrency
internal import Domain
internal import Glibc
internal import HTTPMessages
internal import Hub
internal import Observability
internal import Pages
internal import Sockets

/// All sockets of one thread, and the hub that knows who follows what.
///
/// lws runs libuv's loop and keeps time; libuv reports which socket is ready. Reading, TLS, HTTP and WebSocket frames
/// are ours, so no byte that a stranger wrote reaches either library. A loop is created, run and ended on its own
/// thread; other threads reach it only through its port. Everything here runs to its end without blocking.
///
/// The loop performs; what it knows belongs to the values below, each of which keeps its own state to itself.
final class SocketLoop {
    let settings: LoopSettings
    let events: EventLoop
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
    let acceptor: Acceptor

    // MARK: Connections

    var connections = ConnectionTable()
    var acceptQueue = AcceptQueue()
    var deadlines = Deadlines()
    var closingHandshakes = ClosingHandshakes()
    /// Connections with more to read than one turn allows.
    var unread = TurnQueue()
    /// HTTP/2 clients that have events to handle or more to send.
    var pendingHTTP2 = TurnQueue()

    // MARK: Pages

    var hub: Hub
    var subscribers = SubscriberTable()
    var heartbeats = TimerWheel<ConnectionID>(period: LoopSettings.heartbeatTicks)
    var pings = TimerWheel<ConnectionID>(period: LoopSettings.pingTicks)
    var refresh = PageRefresh()
    var drain: Drain?

    var clock = LoopClock()
    private var hubMetrics = HubMetrics()
    /// The buffer that every socket is read into. Nothing stays in it.
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    private var timer: LoopTimer?
    /// Runs while the loop is stopping.
    private var lastSecond: LoopTimer?

    init(
        settings: LoopSettings,
        events: EventLoop,
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
        self.events = events
        self.limiter = limiter
        self.security = security
        self.port = port
        self.peers = peers
        self.handler = handler
        self.metrics = metrics
        self.sessions = sessions
        self.sentRefreshes = sentRefreshes
        acceptor = Acceptor(listener: listener, events: events)
        hub = Hub(limits: Hub.Limits(queuedBytes: settings.limits.queuedBytes), position: position)
    }

    deinit {
        buffer.deallocate()
    }

    /// Serves until `stop` arrives. `started` learns whether lws is ready.
    func run(started: (Bool) -> Void) {
        guard acceptor.start(handler: { [unowned self] in accept() }) else { return started(false) }
        // lws closes the descriptors that it watches, and the port may outlive this loop, so lws gets a copy.
        let alarm = fcntl(port.descriptor, F_DUPFD_CLOEXEC, 0)
        guard events.observe(alarm, handler: { [unowned self] in wokenUp() }) != nil else { return started(false) }
        timer = events.timer(interval: settings.tick.milliseconds * 1000) { [unowned self] in
            tick()
            acceptor.resume()
            closeOverdue()
            settle()
            hubMetrics.report(hub, to: metrics)
            endWhenStopped()
        }
        port.wake()
        started(true)
        events.run { [unowned self] in fallAsleep() }
        timer = nil
        lastSecond = nil
    }

    private func wokenUp() {
        port.awaken()
        port.clear()
        takeMail()
        goOn()
    }

    /// Runs before libuv waits: from now on, a thread that sends something has to wake this loop.
    private func fallAsleep() {
        guard !port.fallAsleep() else { return }
        takeMail()
        // Clients that write into open sockets get their turn between two rounds of mail.
        if !port.fallAsleep() { port.wake() }
    }

    /// Accepts 64 at a time, so that the pages get their turn.
    private func accept() {
        port.awaken()
        for _ in 0..<64 {
            switch acceptor.accept() {
            case .connection(let descriptor, let peer): welcome(descriptor, from: peer)
            case .nothing: return
            case .dropped: metrics.refused.add()
            // Until the next tick.
            case .stuck: return acceptor.pause()
            }
        }
    }

    /// Runs `body` for a socket that is ready.
    func serve(_ connection: Connection, body: (Connection) -> Void) {
        guard connection.isOpen else { return }
        port.awaken()
        body(connection)
        settle()
    }

    /// Handles what other threads sent.
    private func takeMail() {
        for mail in port.take() {
            switch mail {
            case .reply(let id, let response): write(response, inReplyTo: id)
            case .missed(let id, let missed): sendMissed(missed, to: id)
            case .publish(let publications): publications.forEach(publish)
            case .broadcast(let messages): for message in messages { publish(message) }
            case .refreshPages: refreshPages(for: nil)
            case .forgetRecentMessages: hub.forgetRecentMessages()
            case .forgetRecentMessagesOn(let stream): hub.forgetRecentMessages(on: stream)
            case .identity(let identity): security?.identity = identity
            case .echo(let answer): answer.fulfil(())
            case .drain(let done): startDrain(done)
            case .stop: return stop()
            }
        }
        settle()
    }

    /// Continues what had to give way.
    private func goOn() {
        welcomeWaiting()
        for connection in unread.takeAll() where connection.isOpen { readable(connection) }
        settle()
    }

    /// Has a connection read once more at the next turn.
    func readAgain(_ connection: Connection) {
        if unread.isEmpty { port.wake() }
        unread.add(connection)
    }

    private func stop() {
        acceptor.stop()
        // Answers that were given have a second to go out.
        for connection in connections.all where !connection.isOwedSomething { end(connection) }
        lastSecond = events.timer(interval: 1_000_000) { [unowned self] in events.stop() }
    }

    /// Ends the loop once every connection has gone. `lastSecond` ends it otherwise.
    private func endWhenStopped() {
        if lastSecond != nil, connections.isEmpty { events.stop() }
    }
}
