import Domain
import Pages
import Support

/// All sockets of one thread: joins the parts of a loop, and gives them their turns.
///
/// epoll reports which socket is ready and when the next tick is. Reading, HTTP and WebSocket frames are our own code. A loop is created, run and ended on its own thread; other threads reach it
/// only through its port. Everything here runs to completion without blocking.
final class SocketLoop {
    private let loop: LoopContext
    private let events: EventLoop
    private let connections: ConnectionTable
    private let closer: ConnectionCloser
    private let subscriptions: Subscriptions
    private let writer: PageWriter
    private let heartbeats: Heartbeats
    private let requests: RequestServer
    private let http2: HTTP2Clients
    private let sockets: SocketDriver
    private var drain: Drain
    private var hubMetrics = HubMetrics()
    /// True in the loop's last second.
    private var isStopping = false

    /// `peers` are the ports of the gateway's other loops. `position` is the ledger's newest entry.
    init(
        shared: LoopContext.Shared,
        events: EventLoop,
        security: TLSContext?,
        listener: ListeningSocket,
        port: LoopPort,
        peers: [LoopPort],
        position: Int64
    ) {
        self.events = events
        loop = LoopContext(shared: shared, port: port, acceptor: Acceptor(listener: listener, events: events))
        closer = ConnectionCloser(loop: loop, position: position)
        connections = closer.connections
        subscriptions = closer.subscriptions
        writer = PageWriter(closer, peers: peers)
        requests = RequestServer(writer)
        http2 = HTTP2Clients(requests)
        sockets = SocketDriver(http2, events: events, security: security)
        heartbeats = Heartbeats(writer: writer)
        drain = Drain(http2: http2)
    }

    // MARK: Turns

    /// Serves until `stop` arrives. `started` learns whether the loop watches its port.
    func run(started: (Bool) -> Void) {
        guard loop.acceptor.start(handler: { [unowned self] in sockets.accept() }) else { return started(false) }
        let isWatched = events.observe(loop.port.waker) { [unowned self] in wokenUp() }
        guard isWatched else { return started(false) }
        loop.port.waker.wake()
        started(true)
        events.run(every: loop.settings.tick, tick: tick, prepare: fallAsleep)
    }

    /// Runs ten times a second.
    private func tick() {
        loop.tick()
        heartbeats.tick()
        for id in subscriptions.tickExpiries() { expire(id) }
        writer.reloadSome()
        drain.tick()
        closer.closeOverdue()
        loop.acceptor.resume()
        http2.handlePending()
        hubMetrics.report(subscriptions.hub, to: loop.metrics)
        if isStopping, connections.isEmpty { events.stop() }
    }

    private func wokenUp() {
        loop.port.waker.awaken()
        takeMail()
        sockets.goOn()
        http2.handlePending()
    }

    /// Runs before the loop waits: from now on, a thread that sends something has to wake this loop.
    private func fallAsleep() {
        guard !loop.port.fallAsleep() else { return }
        takeMail()
        // Clients that write into open sockets get their turn between two rounds of mail.
        if !loop.port.fallAsleep() { loop.port.waker.wake() }
    }

    private func stop() {
        loop.acceptor.stop()
        // Answers that were given have a second to go out.
        for connection in connections.all where !connection.isOwedSomething { closer.end(connection) }
        isStopping = true
        events.stop(after: .seconds(1))
    }

    // MARK: Mail

    /// Handles what other threads sent.
    private func takeMail() {
        for mail in loop.port.take() {
            switch mail {
            case .reply(let id, let response): connections[id].map { requests.reply(response, to: $0) }
            case .catchUp(let id, let missed): sendCatchUp(missed, to: id)
            case .publish(let publications): for publication in publications { writer.publish(publication) }
            case .broadcast(let messages): for message in messages { writer.publish(message) }
            case .refreshPages: writer.reloadPages(for: nil)
            case .change(let change): for message in change(&subscriptions.hub) { writer.publish(message) }
            case .inspect(let stream, let answer): answer(subscriptions.pages(on: stream))
            case .identity(let identity): sockets.security?.identity = identity
            case .echo(let answer): answer.fulfil(())
            case .drain(let done): drain.start(done)
            case .stop: return stop()
            }
        }
        http2.handlePending()
    }

    private func sendCatchUp(_ missed: CatchUpBatch, to id: SubscriptionID) {
        guard let subscriber = subscriptions[id] else { return }
        switch subscriber.connection.phase {
        case .page(let page): requests.pages.sendCatchUp(missed, to: subscriber, on: page)
        case .cable(let client): requests.cable.share(missed, with: subscriber, of: client)
        default: break
        }
    }

    /// The name of a subscription has ended.
    private func expire(_ id: SubscriptionID) {
        guard let connection = subscriptions[id]?.connection else { return }
        switch connection.phase {
        case .page(let page): requests.pages.expire(page, on: connection)
        case .cable(let client): requests.cable.expire(id, of: client, on: connection)
        default: break
        }
    }
}
