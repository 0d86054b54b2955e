internal import Admission
internal import HTTP2
internal import Observability
internal import Sockets

/// Clients that speak HTTP/2. A request is a connection like any other: the same parser reads it, and routes, limits,
/// origins, deadlines and pages are the same.
extension SocketLoop {
    func openHTTP2(on connection: Connection) {
        guard let socket = connection.socket,
            let client = HTTP2Connection(
                socket: socket,
                resume: { [unowned self] stream in connections[stream.connection].map(advance) },
                wake: { [unowned self, unowned connection] in pendingHTTP2.add(connection) }
            )
        else { return end(connection) }
        connection.phase = .http2(client)
        socket.endWhenUnanswered(after: settings.deadPeerSeconds)
        metrics.http2Connections.add(1)
        flush(client, on: connection)
    }

    func receivedFrames(_ bytes: UnsafeRawBufferPointer, from client: HTTP2Connection, on connection: Connection) {
        let isHonest = client.session.receive(bytes)
        takeEvents(of: client, on: connection)
        if !isHonest { metrics.http2Abusive.add() }
        flush(client, on: connection)
        // The client broke the rules: what is still to be sent is the last thing that it gets.
        if !isHonest, case .http2 = connection.phase { finish(connection, lingers: true) }
    }

    /// Runs at the end of each callback, for streams that ended while something was written. They cannot be handled at
    /// once, since the code that wrote is not done with them.
    func settle() {
        guard !pendingHTTP2.isEmpty else { return }
        for connection in pendingHTTP2.takeAll() {
            guard case .http2(let client) = connection.phase else { continue }
            takeEvents(of: client, on: connection)
            flush(client, on: connection)
        }
        if !pendingHTTP2.isEmpty { port.wake() }
    }

    private func takeEvents(of client: HTTP2Connection, on connection: Connection) {
        for event in client.session.takeEvents() { handle(event, from: client, on: connection) }
    }

    private func handle(_ event: SessionEvent, from client: HTTP2Connection, on connection: Connection) {
        switch event {
        case .request(let id, let head):
            if !openStream(id, head: head, of: client, on: connection) { client.session.reset(id, reason: .refused) }
        case .body(let id, let bytes):
            // Gives credit back at once: the size of a body is checked before it is collected.
            client.session.consume(bytes.count, of: id)
            // Drops a body that nobody waits for: it would be kept as the next request, which never comes.
            guard let request = request(id, of: client), request.expected != nil else { return }
            bytes.withUnsafeBytes { received($0, on: request) }
        case .closed(let id):
            endRequest(id, of: client)
        }
    }

    private func request(_ id: Int32, of client: HTTP2Connection) -> Connection? {
        client.streams[id].flatMap { connections[$0.connection] }
    }

    private func endRequest(_ id: Int32, of client: HTTP2Connection) {
        client.remove(id).flatMap { connections[$0.connection] }.map(end)
    }

    /// Returns false when there is no room.
    private func openStream(
        _ id: Int32,
        head: [UInt8],
        of client: HTTP2Connection,
        on connection: Connection
    ) -> Bool {
        guard acceptor.isListening, client.streams.count < ServerSession.streamLimit else { return false }
        let admission = limiter.enter(connection.peer)
        guard admission != .reject else {
            metrics.refused.add()
            return false
        }
        let name = connections.nextID()
        let stream = HTTP2Stream(id: id, for: name, of: client)
        let request = Connection(
            id: name,
            link: stream,
            phase: .reading,
            peer: connection.peer,
            admission: admission
        )
        client.add(stream)
        register(request)
        metrics.http2Streams.add(1)
        setDeadline(of: request, seconds: settings.limits.headerSeconds)
        head.withUnsafeBytes { received($0, on: request) }
        return true
    }

    func flush(_ client: HTTP2Connection, on connection: Connection) {
        client.flush()
        guard connection.isOpen else { return }
        if client.isBroken { return end(connection) }
        if client.session.isOver, !client.socket.isBehind { return finish(connection, lingers: true) }
        adjustReading(connection)
    }

    /// The client leaves, and all its requests end with it.
    func leaveHTTP2(_ connection: Connection) {
        guard case .http2(let client) = connection.phase else { return }
        connection.phase = .closing
        metrics.http2Connections.add(-1)
        for id in client.streams.keys { endRequest(id, of: client) }
    }

    /// Takes no more requests; running requests continue.
    func retire(_ client: HTTP2Connection, on connection: Connection) {
        client.session.goAway()
        flush(client, on: connection)
    }
}
