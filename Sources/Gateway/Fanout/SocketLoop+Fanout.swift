import Domain
import HTTP
import Pages
import Support

/// Writes messages to pages: directly to live ones, because a writable callback for each would cost two `epoll_ctl`
/// calls, and to others once their sockets accept bytes again.
extension SocketLoop {
    /// Writes bytes that are not a message. Returns false if the connection is dead.
    func write(_ bytes: [UInt8], to connection: Connection) -> Bool {
        guard connection.link.write(bytes) else { return false }
        wrote(to: connection)
        return true
    }

    /// The ledger's position as clients keep it.
    func cursor(_ position: Int64) -> Cursor { Cursor(epoch: settings.epoch, position: position) }

    // MARK: Messages

    /// Publishes the messages of one entry, or a transient one, which are to be written to the pages that are live now. Returns
    /// to how many pages they go.
    @discardableResult
    func publish(_ messages: some Sequence<Message>) -> Int {
        let pages = messages.reduce(0) { $0 + publishAlone($1) }
        guard !unions.isEmpty else { return pages }
        return unions.messages(for: messages).reduce(pages) { $0 + publishAlone($1) }
    }

    @discardableResult
    func publish(_ message: Message) -> Int { publish(CollectionOfOne(message)) }

    /// To those who follow its stream, and not to its unions.
    private func publishAlone(_ message: Message) -> Int {
        let recipients = hub.publish(message)
        countQueued()
        unwritten.add(message, cursor: message.position.map(cursor), to: recipients.live)
        endSlowConsumers(recipients.closed)
        return recipients.live.count
    }

    private func endSlowConsumers(_ closed: [SubscriptionID]) {
        for id in closed { subscriber(id).map { endSlowConsumer($0.connection) } }
    }

    /// Writes messages to a live page. `refresh` is the newest entry among them that makes it reload, if there is one.
    func write(_ frames: (bytes: [UInt8], refresh: Int64?), to subscriber: Subscriber) {
        turn.wrote(frames.bytes.count)
        guard subscriber.connection.link.write(frames.bytes) else { return end(subscriber.connection) }
        if let refresh = frames.refresh {
            settings.sentRefreshes.recordLive(refresh, at: subscriber.page)
            subscriber.hadRefresh = true
        }
        wrote(to: subscriber.connection)
    }

    /// The socket accepts bytes again. Returns true if the page has taken everything.
    func resume(_ connection: Connection) -> Bool {
        guard connection.isBlocked else { return false }
        connection.isBlocked = false
        if case .cable(let client) = connection.phase { client.owed = 0 }
        clearDeadline(for: connection)
        for id in connection.subscriptions {
            guard let frame = hub.writable(id), let subscriber = subscriber(id) else { continue }
            guard send(frame, to: subscriber) else {
                end(connection)
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
            var frames = FrameCache(html: frame.html, cursor: frame.position.map(cursor))
            guard subscriber.connection.link.write(frames.bytes(for: subscriber)) else { return false }
            if let refresh = frame.refresh {
                settings.sentRefreshes.recordMissed(refresh, at: subscriber.page)
                subscriber.hadRefresh = true
            }
            wrote(to: subscriber.connection)
            guard !subscriber.connection.link.isBehind else { return true }
            next = frame.hasMore ? hub.writable(subscriber.subscription) : nil
        }
        return true
    }
}

/// From a publication to every open page of this loop, and from a broadcast at this loop to the others.
extension SocketLoop {
    func publish(_ publication: Publication) {
        if let entry = publication.entry {
            for (stream, filter) in feeds where filter.admits(entry.notice) {
                let event = FeedEvent.block(entry, epoch: settings.epoch)
                let part = Part(html: event, collapseKey: nil)
                publish(Message(stream: stream, position: entry.position, parts: [part]))
            }
        }
        if publication.isErasure {
            for message in publication.messages { erase(message.stream) }
        }
        let pages = publish(publication.messages)
        if let delivery = publication.delivery { unwritten.landings.append((delivery, pages)) }
        guard let entry = publication.entry else { return }
        hub.advance(to: entry.position)
        if entry.notice.kind == .broadcastsLost { reloadPages(for: entry.position) }
    }

    /// A page that follows other streams as well loses what it was still to get of them, and reloads like all.
    func erase(_ stream: StreamName) {
        hub.erase(stream)
        for union in unions.containing(stream) { hub.erase(union) }
    }

    /// Publishes a transient broadcast that arrived at this loop. Its own pages get it directly, unless something comes before
    /// it or the turn is over.
    func broadcast(_ messages: [Message]) {
        metrics.countPublished(messages)
        var rest = messages[...]
        for peer in peers { peer.broadcast(rest) }
        while hasPublishedAll, !turn.isOver, !rest.isEmpty {
            while unwritten.isOpen, let message = rest.popFirst() { publish(message) }
            writeMessages()
        }
        if !rest.isEmpty { port.broadcast(rest) }
    }

    // MARK: Reloading

    /// Makes every open page reload, because something was lost that only the app's own server still knows. `gap` is
    /// the entry that records the loss, if it could be committed; the ledger tells pages that come later.
    func reloadPages(for gap: Int64?) {
        let pages = subscribers.compactMap { $0.flatMap { $0.transport == .feed ? nil : $0.subscription } }
        reloads = StaggeredQueue(pages, ticks: LoopSettings.spreadTicks)
        reloadGap = gap
        hub.forgetRecentMessages()
    }

    /// Runs at each tick. It goes by page, not by stream: a page that connects meanwhile is as new as its own server.
    func reloadSome() {
        for id in reloads.next() {
            guard let subscriber = subscriber(id) else { continue }
            let message = Message(stream: subscriber.stream, position: nil, parts: [.refresh])
            guard let recipients = hub.publish(message, to: id, unlessRead: reloadGap ?? .max) else {
                // Its missed messages are still being read.
                reloads.putBack(id)
                continue
            }
            for _ in recipients.live {
                metrics.deliveries.add()
                var frames = FrameCache(html: message.html, cursor: nil)
                write((frames.bytes(for: subscriber), reloadGap), to: subscriber)
            }
            endSlowConsumers(recipients.closed)
        }
    }
}

/// Lets a page catch up: from the recent messages in this loop's memory, or from the ledger.
extension SocketLoop {
    /// Answers a page that was here a moment ago from memory, with `send`: nothing can be published between the
    /// subscription and the answer, so there is no gap and no repeat. For all other pages it asks the ledger, whose
    /// answer arrives as mail. Returns false if the ledger is too busy.
    func readCatchUp(_ request: PageRequest, for id: SubscriptionID, send: (CatchUpBatch) -> Void) -> Bool {
        guard let recent = rememberedBatch(for: request) else {
            return request.readCatchUp { [port] missed in port.send(.catchUp(id, missed)) }
        }
        send(recent)
        return true
    }

    private func rememberedBatch(for request: PageRequest) -> CatchUpBatch? {
        guard !request.members.isEmpty else {
            return remembered(on: request.stream, since: request.seen).map {
                CatchUpBatch(through: hub.position, messages: $0)
            }
        }
        var messages: [Message] = []
        for member in request.members {
            guard let remembered = remembered(on: member, since: request.seen) else { return nil }
            messages += remembered
        }
        return CatchUpBatch(through: hub.position, messages: messages.joined(on: request.stream))
    }

    private func remembered(on stream: StreamName, since seen: MissedSince?) -> [Message]? {
        switch seen {
        case .cursor(let cursor) where cursor.epoch == settings.epoch:
            hub.recentMessages(on: stream, after: cursor.position)
        case .nothing: hub.newestMessages(on: stream)
        // What the ledger alone can tell: the cursor is another ledger's, or a time.
        case .cursor, .time, nil: nil
        }
    }

    /// What was read a moment ago, with what has been published since; nil when memory no longer has all of that.
    func completed(_ missed: CatchUpBatch, on stream: StreamName) -> CatchUpBatch? {
        guard missed.through < hub.position else { return missed }
        return hub.recentMessages(on: stream, after: missed.through).map { since in
            CatchUpBatch(
                through: hub.position,
                messages: missed.messages + since,
                hasGap: missed.hasGap
            )
        }
    }

    /// The part to send: the newest fragment of each target, as much as may wait for a page, and no refresh that the page
    /// has had.
    func news(in missed: CatchUpBatch, for subscriber: Subscriber) -> CatchUpBatch {
        // A page that is turned away has not come.
        guard missed.extent != .unreadable else { return missed }
        var news = missed.collapsed
        if subscriber.transport != .feed { news = news.bounded(to: limits.queuedBytes) }
        if let newest = news.newestRefresh {
            let page = subscriber.page
            let reached = settings.sentRefreshes.reached(by: page, missing: newest, firstEnded: Socket.firstEnded)
            if reached >= 0 { subscriber.hadRefresh = true }
            news = news.withRefreshes(after: reached)
        } else {
            settings.sentRefreshes.came(subscriber.page, firstEnded: Socket.firstEnded)
        }
        if !news.messages.isEmpty { metrics.catchUps.add() }
        metrics.catchUpMessages.add(news.messages.count)
        return news
    }
}
