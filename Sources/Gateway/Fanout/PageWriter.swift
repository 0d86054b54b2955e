internal import Domain
internal import HTTP1
internal import Hub
internal import Observability
internal import Pages
internal import Sockets

/// Writes messages to pages: directly to live ones, because a writable callback for each would cost two `epoll_ctl`
/// calls, and to others once their sockets accept bytes again.
final class PageWriter {
    let loop: LoopContext
    let subscriptions: Subscriptions
    /// The other loops of this gateway.
    let peers: [LoopPort]
    private let slowConsumers: SlowConsumers
    private let closer: ConnectionCloser
    /// The pages that are still to be told to reload.
    var reloads = StaggeredQueue<SubscriptionID>([], ticks: 1)
    /// The entry that they are told about; nil if it has no position in the ledger.
    var reloadGap: Int64?

    init(
        loop: LoopContext,
        peers: [LoopPort],
        subscriptions: Subscriptions,
        slowConsumers: SlowConsumers,
        closer: ConnectionCloser
    ) {
        self.loop = loop
        self.peers = peers
        self.subscriptions = subscriptions
        self.slowConsumers = slowConsumers
        self.closer = closer
    }

    /// Writes bytes that are not a message. Returns false if the connection is dead.
    func write(_ bytes: [UInt8], to connection: Connection) -> Bool {
        guard connection.link.write(bytes) else { return false }
        slowConsumers.wrote(to: connection)
        return true
    }

    /// Writes the head of an answer that does not end, and its first bytes. Returns false if the connection is dead.
    func begin(_ head: ResponseHead, with bytes: [UInt8], on connection: Connection) -> Bool {
        guard connection.link.begin(head, body: bytes, date: loop.date, isWhole: false) else { return false }
        slowConsumers.wrote(to: connection)
        return true
    }

    // MARK: Messages

    /// Returns the number of live pages to which it was written.
    @discardableResult
    func publish(_ message: Message) -> Int {
        let fanout = subscriptions.hub.publish(message)
        return deliver(message, to: fanout, refresh: message.hasRefresh ? message.position : nil)
    }

    /// `refresh` is the entry that makes the pages reload, if there is one. Returns how many pages got it.
    @discardableResult
    func deliver(_ message: Message, to fanout: Fanout, refresh: Int64?) -> Int {
        if !fanout.live.isEmpty { write(message, to: fanout.live, refresh: refresh) }
        for id in fanout.closed { subscriptions[id].map { closer.endSlowConsumer($0.connection) } }
        return fanout.live.count
    }

    private func write(_ message: Message, to live: ContiguousArray<SubscriptionID>, refresh: Int64?) {
        var frames = FrameCache(message, epoch: loop.settings.epoch)
        for id in live {
            guard let subscriber = subscriptions[id] else { continue }
            // This very message made the page fall behind, through another of its subscriptions to the same stream.
            guard !subscriber.connection.isBlocked else {
                closer.endSlowConsumer(subscriber.connection)
                continue
            }
            guard frames.write(to: subscriber) else {
                closer.end(subscriber.connection)
                continue
            }
            if let refresh {
                loop.shared.sentRefreshes.recordLive(refresh, on: subscriber.stream, for: subscriber.refreshes)
            }
            slowConsumers.wrote(to: subscriber.connection)
        }
        loop.metrics.deliveries.add(live.count)
    }

    /// The socket accepts bytes again. Returns true if the page has taken everything.
    func resume(_ connection: Connection) -> Bool {
        guard connection.isBlocked else { return false }
        slowConsumers.tookAll(connection)
        for id in connection.subscriptions {
            guard let frame = subscriptions.hub.writable(id), let subscriber = subscriptions[id] else { continue }
            guard send(frame, to: subscriber) else {
                closer.end(connection)
                return false
            }
            // The others stay blocked until the next callback.
            if connection.isBlocked { return false }
        }
        return true
    }

    /// Writes frame after frame until the kernel accepts no more or nothing is left. False if the connection is dead.
    func send(_ first: OutgoingFrame, to subscriber: Subscriber) -> Bool {
        var next: OutgoingFrame? = first
        while let frame = next {
            let cursor = frame.position.map { Cursor(epoch: loop.settings.epoch, position: $0) }
            var frames = FrameCache(html: frame.html, cursor: cursor)
            guard frames.write(to: subscriber) else { return false }
            if let refresh = frame.refresh {
                loop.shared.sentRefreshes.recordMissed(refresh, on: subscriber.stream, for: subscriber.refreshes)
            }
            slowConsumers.wrote(to: subscriber.connection)
            guard !subscriber.connection.link.isBehind else { return true }
            next = frame.hasMore ? subscriptions.hub.writable(subscriber.subscription) : nil
        }
        return true
    }
}
