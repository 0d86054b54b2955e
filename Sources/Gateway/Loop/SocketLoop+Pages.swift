internal import Domain
internal import Hub
internal import Runtime

/// Pages that follow a stream: from the request to the last frame.
extension SocketLoop {
    // MARK: Opening

    /// From now on the connection only sends. The answer's head goes out together with the first block: one `send` less.
    func openEventStream(_ request: PageRequest, on connection: Connection) -> Verdict {
        let socket = connection.socket
        openings[connection.id] = EventStream.head(allowedOrigin: request.allowedOrigin)
        // lws does not read in this state, and a level-triggered poll on unread bytes would spin for ever.
        socket.markEventStream()
        socket.stopReading()
        hangups.add(socket.descriptor, tag: connection.id.number)
        let transport: Page.Transport = if case .feed = request.content { .feed } else { .eventStream }
        return open(request, as: transport, on: connection)
    }

    /// Decides over an upgrade while the request's head is there.
    func confirmUpgrade(_ socket: Socket, to name: UnsafeRawBufferPointer) -> Verdict {
        guard let head = socket.requestHead() else { return .close }
        let connection = connection(of: socket)
        let route = Route(path: head.path)
        let request = request(head, route, connection, reserving: 0)
        guard connection.place == .seat else {
            metrics.turnedAway.add()
            return refuseUpgrade(.full, on: connection)
        }
        guard route.isUpgradable, head.method == "GET" else {
            return refuseUpgrade(.error(404, "no_websocket", "No WebSocket is served here."), on: connection)
        }
        switch handler.handle(request) {
        case .open(let page):
            connection.phase = .upgrading(page)
            return .keep
        case .respond(let response): return refuseUpgrade(response, on: connection)
        case .later, .publish: return .close
        }
    }

    private func refuseUpgrade(_ response: Response, on connection: Connection) -> Verdict {
        metrics.responses(response.status).add()
        var bytes = response.encoded(keepAlive: false, includingBody: true)
        _ = connection.socket.write(&bytes, as: .http)
        return .close
    }

    func established(_ socket: Socket) -> Verdict {
        let connection = connection(of: socket)
        guard case .upgrading(let request) = connection.phase else { return .close }
        return open(request, as: .webSocket, on: connection)
    }

    private func open(_ request: PageRequest, as transport: Page.Transport, on connection: Connection) -> Verdict {
        let subscription = hub.subscribe(to: request.stream)
        let heartbeat = wheel.add(connection.id, using: &generator)
        connection.phase = .page(Page(transport: transport, subscription: subscription, heartbeat: heartbeat))
        unwatch(connection)
        let index = Int(subscription.index)
        if index >= pages.count { pages.append(contentsOf: repeatElement(nil, count: index + 1 - pages.count)) }
        pages[index] = connection
        if case .feed(let filter) = request.content {
            feeds[request.stream] = filter
            followed[connection.id] = request.stream
        }
        metrics.pages(transport).add(1)
        let id = connection.id
        let isReading = request.replay { [port] replay in port.send(.replay(id, replay)) }
        return isReading ? .keep : turnAway(connection)
    }

    /// Overload is something that a retry cures: an EventSource must not be killed by it.
    private func turnAway(_ connection: Connection) -> Verdict {
        guard case .page(let page) = connection.phase else { return .close }
        if page.transport != .webSocket { _ = write(opening(connection) + "retry: 5000\n\n", to: connection.socket) }
        return .close
    }

    /// The head that has not been sent yet; empty when it has.
    private func opening(_ connection: Connection) -> String {
        openings.removeValue(forKey: connection.id) ?? ""
    }

    // MARK: Replay and live messages

    /// What the page missed has been read. The first block gives it a cursor, before any event.
    func replayed(_ id: ConnectionID, _ replay: PageReplay) {
        guard let connection = connections[id], case .page(let page) = connection.phase else { return }
        guard replay.extent != .unreadable else {
            if turnAway(connection) == .close { close(connection) }
            return
        }
        if page.transport != .webSocket {
            let position = replay.messages.first?.position.map { $0 - 1 } ?? replay.through
            let cursor = Cursor(epoch: settings.epoch, position: position)
            let start = opening(connection) + EventStream.position(cursor)
            guard write(start, to: connection.socket) else { return connection.socket.kill() }
        }
        if !replay.messages.isEmpty { metrics.replayed.add() }
        metrics.replayedMessages.add(replay.messages.count)
        guard replay.extent == .whole else { return sendPart(replay.messages, to: connection, page) }
        guard let flush = hub.replayed(page.subscription, through: replay.through, messages: replay.messages) else {
            return
        }
        if !send(flush, to: connection, page) { connection.socket.kill() }
    }

    /// Too much for one answer: sends this part and ends; the reader comes back at once with its last cursor.
    private func sendPart(_ messages: [Message], to connection: Connection, _ page: Page) {
        var bytes = [UInt8](repeating: 0, count: Socket.headroom)
        for message in messages {
            bytes += Frame.encode(message.html, page.transport, cursor: cursor(message.position)).dropFirst(
                Socket.headroom
            )
        }
        if page.transport != .webSocket { bytes += "retry: 1\n\n".utf8 }
        _ = connection.socket.write(&bytes, as: Frame.kind(page.transport))
        connection.socket.resumeReading()
        close(connection)
    }

    /// A transient broadcast that arrived at this loop: its own pages get it without a way round over the mailbox,
    /// unless older ones wait there.
    func broadcast(_ publication: Publication) {
        metrics.published.add(publication.messages.count)
        for peer in peers { peer.send(.publish([publication])) }
        if port.isEmpty { publish(publication) } else { port.send(.publish([publication])) }
    }

    func publish(_ publication: Publication) {
        if let entry = publication.entry {
            for (stream, filter) in feeds where filter.admits(entry.notice) {
                let event = FeedEvent.block(entry, epoch: settings.epoch)
                let part = Part(html: event, collapseKey: nil)
                _ = publish(Message(stream: stream, position: entry.position, parts: [part]))
            }
        }
        let written = publication.messages.reduce(0) { $0 + publish($1) }
        publication.flight?.landed(written)
        if let entry = publication.entry { hub.advance(to: entry.position) }
    }

    /// Writes directly to every live page: a writable callback each would cost two `epoll_ctl` calls. Returns to how many.
    private func publish(_ message: Message) -> Int {
        let fanout = hub.publish(message)
        var frames = FrameCache(message: message, epoch: settings.epoch)
        for id in fanout.live {
            guard let connection = pages[Int(id.index)], case .page(let page) = connection.phase else { continue }
            guard frames.write(page.transport, to: connection.socket) else {
                connection.socket.kill()
                continue
            }
            if connection.socket.isBehind { fellBehind(connection) }
        }
        metrics.deliveries.add(fanout.live.count)
        for id in fanout.closed {
            metrics.slow.add()
            if let connection = pages[Int(id.index)] { close(connection) }
        }
        return fanout.live.count
    }

    /// The socket takes more bytes again.
    func flush(_ connection: Connection) -> Verdict {
        guard !connection.socket.isBehind, case .page(var page) = connection.phase else { return .keep }
        page.behindSince = nil
        connection.phase = .page(page)
        unwatch(connection)
        if page.transport != .webSocket { connection.socket.stopReading() }
        guard let flush = hub.writable(page.subscription) else { return .keep }
        return send(flush, to: connection, page) ? .keep : .close
    }

    /// Writes flush after flush until the kernel takes no more or nothing is left. False: the connection is dead.
    private func send(_ first: Flush, to connection: Connection, _ page: Page) -> Bool {
        var next: Flush? = first
        while let flush = next {
            var bytes = Frame.encode(flush.html, page.transport, cursor: cursor(flush.position))
            guard connection.socket.write(&bytes, as: Frame.kind(page.transport)) else { return false }
            if connection.socket.isBehind {
                fellBehind(connection)
                return true
            }
            next = flush.hasMore ? hub.writable(page.subscription) : nil
        }
        return true
    }

    private func fellBehind(_ connection: Connection) {
        guard case .page(var page) = connection.phase, page.behindSince == nil else { return }
        page.behindSince = now
        connection.phase = .page(page)
        watchReader(connection)
        // lws calls nothing back on a connection that does not read; bytes that come meanwhile end it at the next tick.
        if page.transport != .webSocket { connection.socket.resumeReading() }
        hub.blocked(page.subscription)
    }

    func cursor(_ position: Int64?) -> Cursor? {
        position.map { Cursor(epoch: settings.epoch, position: $0) }
    }

    // MARK: Leaving

    func leave(_ connection: Connection) {
        guard case .page(let page) = connection.phase else { return }
        connection.phase = .idle
        hub.unsubscribe(page.subscription)
        wheel.remove(page.heartbeat)
        metrics.pages(page.transport).add(-1)
        if let feed = followed.removeValue(forKey: connection.id), !followed.values.contains(feed) {
            feeds[feed] = nil
        }
        let index = Int(page.subscription.index)
        guard pages[index] === connection else { return }
        pages[index] = nil
    }

    /// Closes a page from outside its own callback: a WebSocket with 1013 (try again later), so that scripts come back.
    func close(_ connection: Connection, code: UInt16 = 1013) {
        let isBehind = connection.socket.isBehind
        guard case .page(let page) = connection.phase else { return connection.socket.kill() }
        leave(connection)
        connections[connection.id] = nil
        guard page.transport == .webSocket, !isBehind else { return connection.socket.kill() }
        connection.phase = .closing(code: code)
        connection.socket.requestWritable()
    }

    func write(_ text: String, to socket: Socket) -> Bool {
        var bytes = [UInt8](repeating: 0, count: Socket.headroom)
        bytes += text.utf8
        return socket.write(&bytes, as: .http)
    }
}
