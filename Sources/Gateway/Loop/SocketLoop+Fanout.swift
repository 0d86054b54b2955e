internal import ActionCable
internal import Domain
internal import Hub
internal import Observability
internal import Pages
internal import Sockets

/// From a publication to every open page of this loop.
extension SocketLoop {
    /// Publishes a transient broadcast that arrived at this loop. Its own pages get it directly, unless older mail
    /// waits in the mailbox.
    func broadcast(_ messages: [Message]) {
        metrics.published.add(messages.count)
        for peer in peers where messages.contains(where: { peer.follows($0.stream) }) {
            peer.send(.broadcast(messages))
        }
        guard port.isEmpty else { return port.send(.broadcast(messages)) }
        for message in messages { publish(message) }
    }

    func publish(_ publication: Publication) {
        if let entry = publication.entry {
            for stream in subscribers.feeds(admitting: entry.notice) {
                let event = FeedEvent.block(entry, epoch: settings.epoch)
                let part = Part(html: event, collapseKey: nil)
                publish(Message(stream: stream, position: entry.position, parts: [part]))
            }
        }
        let written = publication.messages.reduce(0) { $0 + publish($1) }
        publication.delivery?.landed(written)
        guard let entry = publication.entry else { return }
        hub.advance(to: entry.position)
        if entry.notice.kind == .broadcastsLost { refreshPages(for: entry.position) }
    }

    /// Writes directly to every live page and returns how many there are: a writable callback for each page would cost
    /// two `epoll_ctl` calls.
    @discardableResult
    func publish(_ message: Message) -> Int {
        deliver(message, to: hub.publish(message), refresh: message.hasRefresh ? message.position : nil)
    }

    /// `refresh` is the entry that makes the pages reload, if there is one. Returns how many pages it was written to.
    @discardableResult
    func deliver(_ message: Message, to fanout: Fanout, refresh: Int64?) -> Int {
        if !fanout.live.isEmpty { write(message, to: fanout.live, refresh: refresh) }
        for id in fanout.closed { subscribers[id].map { endSlowReader($0.connection) } }
        return fanout.live.count
    }

    private func write(_ message: Message, to live: ContiguousArray<SubscriptionID>, refresh: Int64?) {
        var frames = FrameCache(message, epoch: settings.epoch)
        for id in live {
            guard let subscriber = subscribers[id] else { continue }
            // It fell behind on this very message, through another of its own subscriptions to the same stream.
            guard !subscriber.connection.isBlocked else {
                endSlowReader(subscriber.connection)
                continue
            }
            guard frames.write(to: subscriber) else {
                end(subscriber.connection)
                continue
            }
            if let refresh { sentRefreshes.recordLive(refresh, on: subscriber.stream, for: subscriber.refreshes) }
            if subscriber.connection.link.isBehind { fellBehind(subscriber.connection) }
        }
        metrics.deliveries.add(live.count)
    }

    /// The messages that a page missed have been read.
    func sendMissed(_ missed: MissedMessages, to id: SubscriptionID) {
        guard let subscriber = subscribers[id] else { return }
        let missed = missed.collapsed.withRefreshes {
            sentRefreshes.isNews($0, on: subscriber.stream, for: subscriber.refreshes)
        }
        if !missed.messages.isEmpty { metrics.missed.add() }
        metrics.missedMessages.add(missed.messages.count)
        switch subscriber.connection.phase {
        case .page(let page): sendMissed(missed, to: subscriber, on: page)
        case .cable(let client): sendMissed(missed, to: subscriber, of: client)
        default: break
        }
    }

    /// The socket takes bytes again.
    func flush(_ connection: Connection) {
        guard connection.isBlocked else { return }
        connection.isBlocked = false
        clearDeadline(of: connection)
        for id in connection.subscriptions {
            guard let flush = hub.writable(id), let subscriber = subscribers[id] else { continue }
            guard send(flush, to: subscriber) else { return end(connection) }
            // The others stay blocked until the next callback.
            if connection.isBlocked { break }
        }
        if !connection.isBlocked, case .page(let page) = connection.phase { readOn(page, on: connection) }
    }

    /// Writes flush after flush until the kernel takes no more or nothing is left. False when the connection is dead.
    func send(_ first: Flush, to subscriber: Subscriber) -> Bool {
        var next: Flush? = first
        while let flush = next {
            var frames = FrameCache(html: flush.html, cursor: cursor(flush.position))
            guard frames.write(to: subscriber) else { return false }
            if let refresh = flush.refresh {
                sentRefreshes.recordMissed(refresh, on: subscriber.stream, for: subscriber.refreshes)
            }
            if subscriber.connection.link.isBehind {
                fellBehind(subscriber.connection)
                return true
            }
            next = flush.hasMore ? hub.writable(subscriber.subscription) : nil
        }
        return true
    }

    func cursor(_ position: Int64?) -> Cursor? {
        position.map { Cursor(epoch: settings.epoch, position: $0) }
    }
}
