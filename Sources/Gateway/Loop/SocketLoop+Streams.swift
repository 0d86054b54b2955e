internal import Domain
internal import Hub
internal import Runtime

/// `/streams` and `/feed`: one connection follows one stream.
extension SocketLoop {
    /// From now on the connection only sends. The answer's head goes out together with the first block: one `send` less.
    func openEventStream(_ request: PageRequest, on connection: Connection) -> Verdict {
        let socket = connection.socket
        openings[connection.id] = EventStream.head(allowedOrigin: request.allowedOrigin)
        if connection.parser == nil {
            // lws does not read in this state, and a level-triggered poll on unread bytes would spin for ever.
            socket.markEventStream()
            socket.stopReading()
            hangups.add(socket.descriptor, tag: connection.id.number)
        }
        let transport: Transport = if case .feed = request.content { .feed } else { .eventStream }
        return open(request, as: transport, on: connection)
    }

    func open(_ request: PageRequest, as transport: Transport, on connection: Connection) -> Verdict {
        let subscription = hub.subscribe(to: request.stream)
        unwatch(connection)
        connection.phase = .page(
            Page(
                transport: transport,
                subscription: subscription,
                heartbeat: wheel.add(connection.id),
                source: request.source
            )
        )
        take(
            Seat(connection: connection, subscription: subscription, stream: request.stream, transport: transport),
            until: request.expires
        )
        if case .feed(let filter) = request.content {
            feeds[request.stream] = filter
            followed[connection.id] = request.stream
        }
        metrics.pages(transport).add(1)
        let isReading = request.readMissed { [port] missed in port.send(.missed(subscription, missed)) }
        return isReading ? .keep : turnAway(connection)
    }

    /// Overload is something that a retry cures: an EventSource must not be killed by it.
    func turnAway(_ connection: Connection) -> Verdict {
        guard case .page(let page) = connection.phase else { return .close }
        if page.transport.isResponse { _ = write(opening(connection) + "retry: 5000\n\n", to: connection.socket) }
        return .close
    }

    /// The head that has not been sent yet; empty when it has.
    func opening(_ connection: Connection) -> String {
        openings.removeValue(forKey: connection.id) ?? ""
    }

    /// What the page missed has been read. The first block gives it a cursor, before any event.
    func sendMissed(_ missed: MissedMessages, to seat: Seat, _ page: Page) {
        let connection = seat.connection
        guard missed.extent != .unreadable else {
            if turnAway(connection) == .close { close(connection) }
            return
        }
        if page.transport.isResponse {
            let position = missed.messages.first?.position.map { $0 - 1 } ?? missed.through
            let cursor = Cursor(epoch: settings.epoch, position: position)
            let start = opening(connection) + EventStream.position(cursor)
            guard write(start, to: connection.socket) else { return connection.socket.kill() }
        }
        guard missed.extent == .whole else { return sendPart(missed.messages, to: seat) }
        guard let flush = hub.missed(seat.subscription, through: missed.through, messages: missed.messages) else {
            return
        }
        if !send(flush, to: seat) { connection.socket.kill() }
    }

    /// Too much of a feed for one answer: sends this part and ends; the reader comes back at once with its last cursor.
    private func sendPart(_ messages: [Message], to seat: Seat) {
        var bytes = [UInt8](repeating: 0, count: Socket.headroom)
        for message in messages { bytes += message.html }
        bytes += "retry: 1\n\n".utf8
        _ = seat.connection.socket.write(&bytes, as: .http)
        seat.connection.socket.resumeReading()
        close(seat.connection)
    }

    /// The signed name has come to its end: the page loads itself again, and with that a name that is good.
    func expire(_ page: Page, on connection: Connection) {
        if connection.behindSince == nil {
            var frames = FrameCache(html: page.source?.renewal ?? Renewal.refresh, cursor: nil)
            if page.transport.isResponse {
                _ = write(opening(connection) + "retry: \(EventStream.expiredRetry)\n\n", to: connection.socket)
            }
            if let seat = seats[Int(page.subscription.index)] { _ = frames.write(to: seat) }
        }
        metrics.expired.add()
        close(connection, code: 1008)
    }
}
