import Domain
import HTTP
import Pages
import Support

/// `/streams` and `/feed`: one connection follows one stream, or one union of several.
extension SocketLoop {
    // MARK: The beginning

    /// From now on the connection only sends. The answer's head goes out with the first block, which saves one `send`.
    func openEventStream(_ request: PageRequest, on connection: Connection) {
        connection.input = RequestBuffer()
        metrics.responses(200).add()
        let opening = EventStream.head(allowedOrigin: request.allowedOrigin)
        open(request, as: request.feed == nil ? .eventStream : .feed, on: connection, opening: opening)
    }

    func open(
        _ request: PageRequest,
        as transport: Transport,
        on connection: Connection,
        opening: ResponseHead? = nil
    ) {
        let subscriber = follow(request, as: transport, on: connection)
        let page = Page(request, as: transport, subscription: subscriber.subscription, opening: opening)
        connection.phase = .page(page)
        heartbeats.add(connection.id, within: LoopSettings.heartbeatTicks)
        if transport == .feed, let feed = request.feed { feeds[request.stream] = feed.filter }
        metrics.pages(transport).add(1)
        let isRead = readCatchUp(request, for: page.subscription) { sendCatchUp($0, to: subscriber, on: page) }
        if !isRead { turnAway(connection) }
    }

    /// The messages that the page missed have been read. The first block gives it a cursor, before any event.
    func sendCatchUp(_ missed: CatchUpBatch, to subscriber: Subscriber, on page: Page) {
        let missed = news(in: missed, for: subscriber)
        let connection = subscriber.connection
        guard missed.extent != .unreadable else { return turnAway(connection) }
        if page.transport.isResponse, page.opening != nil {
            let position = missed.messages.first?.position.map { $0 - 1 } ?? missed.through
            guard say(EventStream.position(cursor(position)), to: page, on: connection) else { return end(connection) }
        }
        guard page.reading == nil else { return sendPart(missed, to: subscriber, on: page) }
        send(missed.messages, through: missed.through, to: subscriber)
    }

    func send(_ messages: [Message], through position: Int64, to subscriber: Subscriber) {
        let id = subscriber.subscription
        guard let frame = hub.catchUp(id, through: position, messages: messages) else { return }
        if !send(frame, to: subscriber) { end(subscriber.connection) }
    }

    /// Writes a block of an event stream, after the answer's head at first. Returns false if the connection is dead.
    private func say(_ block: String, to page: Page, on connection: Connection) -> Bool {
        guard let opening = page.opening else { return connection.link.write(block) }
        page.opening = nil
        return connection.link.begin(opening, body: Array(block.utf8), date: date, isWhole: false)
    }

    // MARK: The end

    /// A retry cures overload, so an EventSource must not be ended for good.
    func turnAway(_ connection: Connection) {
        guard case .page(let page) = connection.phase else { return }
        if page.transport.isResponse { _ = say("retry: 5000\n\n", to: page, on: connection) }
        close(connection)
    }

    /// The signed name has expired: the page reloads and gets a valid name.
    func expire(_ page: Page, on connection: Connection) {
        if !connection.isBlocked {
            var frames = FrameCache(html: page.source?.renewal ?? TemplateRenderer.refresh, cursor: nil)
            if page.transport.isResponse {
                _ = say("retry: \(EventStream.expiredRetry)\n\n", to: page, on: connection)
            }
            if let subscriber = subscriber(page.subscription) {
                _ = connection.link.write(frames.bytes(for: subscriber))
            }
        }
        metrics.expired.add()
        close(connection, code: .policyViolation)
    }

    /// Those that follow other streams beside it end, too.
    func endPages(on stream: StreamName) {
        for progress in ([stream] + unions.containing(stream)).flatMap(hub.progress) {
            guard let connection = subscriber(progress.subscription)?.connection else { continue }
            disconnect(connection, reason: .remote, code: .policyViolation)
        }
    }

    /// The server drains: the page should come back, here or elsewhere.
    func release(_ page: Page, on connection: Connection) {
        if !connection.isBlocked { sayGoodbye(to: page, on: connection) }
        close(connection, code: .serviceRestart)
    }

    /// A browser reopens an event stream after `retry` milliseconds. A WebSocket stays closed, so its element is
    /// replaced by one that opens an event stream.
    private func sayGoodbye(to page: Page, on connection: Connection) {
        guard page.transport == .webSocket else {
            let delay = Int.random(in: 1000...4000)
            _ = say("retry: \(delay)\n\n", to: page, on: connection)
            return
        }
        guard let source = page.source, let stream = hub.stream(of: page.subscription) else { return }
        let since = "\(cursor(hub.position))"
        _ = connection.link.write(Frame.encode(.text, payload: source.replacement(on: stream, since: since)))
    }
}

/// `/feed` may be as long as the ledger: a connection gets it in parts, each after its reader has taken the one before.
extension SocketLoop {
    /// Sends a part, and goes live after the last one. Until then entries are read from the ledger, none are collected.
    func sendPart(_ missed: CatchUpBatch, to subscriber: Subscriber, on page: Page) {
        let connection = subscriber.connection
        var bytes: [UInt8] = []
        for message in missed.messages { bytes += message.html }
        // A part may contain nothing that was asked for. The mark lets a returning client continue after it.
        if missed.extent == .partial {
            bytes += EventStream.mark(cursor(missed.through)).utf8
        }
        guard write(bytes, to: connection) else { return end(connection) }
        guard missed.extent == .whole, !connection.link.isBehind else {
            page.reached = missed.through
            hub.pause(subscriber.subscription)
            if !connection.link.isBehind { readOn(page, on: connection) }
            return
        }
        send([], through: missed.through, to: subscriber)
    }

    /// Asks for the next part, if there is one. Collecting starts before the read, so that nothing falls in between.
    func readOn(_ page: Page, on connection: Connection) {
        guard let reached = page.reached, let reading = page.reading else { return }
        page.reached = nil
        hub.resume(page.subscription)
        let isAsked = reading(reached) { [port, id = page.subscription] missed in
            port.send(.catchUp(id, missed))
        }
        if !isAsked { turnAway(connection) }
    }
}

/// Heartbeats and pings: each page gets one every 15 s, each cable client every 3 s. A client whose socket accepts no
/// more has the deadline of slow readers instead.
extension SocketLoop {
    /// Runs at each tick.
    func beat() {
        var ping: [UInt8] = []
        for id in heartbeats.tick() {
            guard let connection = connections[id] else { continue }
            switch connection.phase {
            case .page(let page):
                heartbeats.add(id, after: LoopSettings.heartbeatTicks)
                if page.opening == nil, !connection.isBlocked { beat(page, on: connection) }
            case .cable(let client):
                heartbeats.add(id, after: LoopSettings.cableTicks)
                if ping.isEmpty { ping = cablePing }
                if !connection.isBlocked { beat(client, with: ping) }
            default: break
            }
        }
    }

    /// Sends a comment or a ping. Ends a page that has answered no ping for a turn of the wheel.
    private func beat(_ page: Page, on connection: Connection) {
        if let ping = page.unansweredPing {
            // It waits behind everything that was sent before. A page that still reads up to it gets more time.
            let confirmed = connection.link.confirmedBytes
            guard readsSteadily(from: ping, to: confirmed, in: LoopSettings.heartbeatSeconds) else {
                return end(connection)
            }
            page.unansweredPing = confirmed
            return
        }
        guard page.transport == .webSocket else { return send(heartbeat: EventStream.heartbeat, to: connection) }
        page.unansweredPing = connection.link.confirmedBytes
        send(heartbeat: SocketLoop.ping, to: connection)
    }

    private func beat(_ client: CableConnection, with ping: [UInt8]) {
        recordArrival(at: client)
        send(heartbeat: ping, to: client.connection)
        if client.connection.isOpen { pinged(client) }
    }

    /// The ping has a payload: some clients and proxies do not answer an empty one.
    private static let ping = Frame.encode(.ping, payload: Array("paycast".utf8))

    /// TCP finds dead clients: a ping that nobody acknowledges ends the connection.
    private var cablePing: [UInt8] {
        let message = CableMessage.ping(seconds: settings.clock.now().milliseconds / 1000)
        return Frame.encode(.text, payload: message)
    }

    private func send(heartbeat: [UInt8], to connection: Connection) {
        if !write(heartbeat, to: connection) { end(connection) }
    }
}
