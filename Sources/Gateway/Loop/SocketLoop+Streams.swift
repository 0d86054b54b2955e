internal import Domain
internal import HTTP1
internal import Hub
internal import Observability
internal import Pages
internal import Sockets
internal import WebSocket

/// `/streams` and `/feed`: one connection follows one stream.
extension SocketLoop {
    /// From now on the connection only sends. The answer's head goes out with the first block, which saves one `send`.
    func openEventStream(_ request: PageRequest, on connection: Connection) {
        let transport: Transport = if case .feed = request.content { .feed } else { .eventStream }
        connection.input = RequestBuffer()
        metrics.responses(200).add()
        let opening = EventStream.head(allowedOrigin: request.allowedOrigin)
        open(request, as: transport, on: connection, opening: opening)
    }

    func open(
        _ request: PageRequest,
        as transport: Transport,
        on connection: Connection,
        opening: ResponseHead? = nil
    ) {
        let subscription = hub.subscribe(to: request.stream)
        clearDeadline(of: connection)
        connection.phase = .page(
            Page(
                transport: transport,
                subscription: subscription,
                heartbeat: heartbeats.add(connection.id),
                source: request.source,
                reading: request.reading,
                opening: opening
            )
        )
        add(
            Subscriber(
                connection: connection,
                subscription: subscription,
                stream: request.stream,
                transport: transport,
                refreshes: request.refreshes
            ),
            until: request.expires
        )
        if transport == .feed, case .feed(let filter, _) = request.content {
            subscribers.follow(request.stream, with: filter)
        }
        metrics.pages(transport).add(1)
        if !readMissed(request, for: subscription) { turnAway(connection) }
    }

    /// Answers a page that was here a moment ago from this loop's own memory: nothing can be published between the
    /// subscription and the answer, so there is no gap and no repeat. All other pages ask the ledger. Returns false
    /// when it is too busy.
    func readMissed(_ request: PageRequest, for id: SubscriptionID) -> Bool {
        guard let recent = recall(request) else {
            return request.readMissed { [port] missed in port.send(.missed(id, missed)) }
        }
        sendMissed(recent, to: id)
        return true
    }

    private func recall(_ request: PageRequest) -> MissedMessages? {
        switch request.seen {
        case .upTo(let position):
            hub.recentMessages(on: request.stream, after: position).map {
                MissedMessages(through: hub.position, messages: $0)
            }
        case .nothing:
            hub.newestMessages(on: request.stream).map {
                MissedMessages(through: hub.position, messages: $0)
            }
        case nil: nil
        }
    }

    /// A retry cures overload, so an EventSource must not be ended for good.
    func turnAway(_ connection: Connection) {
        guard case .page(let page) = connection.phase else { return }
        if page.transport.isResponse { _ = say("retry: 5000\n\n", to: page, on: connection) }
        close(connection)
    }

    /// Writes a block of an event stream, after the answer's head if that has not gone out yet. Returns false when the
    /// connection is dead.
    func say(_ block: String, to page: Page, on connection: Connection) -> Bool {
        guard let opening = page.opening else { return connection.link.write(block) }
        page.opening = nil
        return connection.link.begin(opening, body: Array(block.utf8), date: clock.date, isWhole: false)
    }

    /// The messages that the page missed have been read. The first block gives it a cursor, before any event.
    func sendMissed(_ missed: MissedMessages, to subscriber: Subscriber, on page: Page) {
        let connection = subscriber.connection
        guard missed.extent != .unreadable else {
            return turnAway(connection)
        }
        if page.transport.isResponse, page.opening != nil {
            let position = missed.messages.first?.position.map { $0 - 1 } ?? missed.through
            let cursor = Cursor(epoch: settings.epoch, position: position)
            guard say(EventStream.position(cursor), to: page, on: connection) else { return end(connection) }
        }
        guard page.reading == nil else { return sendPart(missed, to: subscriber, on: page) }
        guard let flush = hub.missed(subscriber.subscription, through: missed.through, messages: missed.messages) else {
            return
        }
        if !send(flush, to: subscriber) { end(connection) }
    }

    /// The signed name has expired: the page reloads and gets a valid name.
    func expire(_ page: Page, on connection: Connection) {
        if !connection.isBlocked {
            var frames = FrameCache(html: page.source?.renewal ?? NameExpiry.refresh, cursor: nil)
            if page.transport.isResponse {
                _ = say("retry: \(EventStream.expiredRetry)\n\n", to: page, on: connection)
            }
            if let subscriber = subscribers[page.subscription] { _ = frames.write(to: subscriber) }
        }
        metrics.expired.add()
        close(connection, code: .policyViolation)
    }
}
