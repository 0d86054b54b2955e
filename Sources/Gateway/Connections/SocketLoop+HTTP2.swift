import HTTP
import Support

/// Clients that speak HTTP/2. A request is a connection like any other: the same parser reads it, and routes, limits,
/// origins, deadlines and pages are the same.
extension SocketLoop {
    func openHTTP2(on connection: Connection) {
        guard let socket = connection.socket,
            let client = HTTP2Connection(connection, socket: socket, loop: self)
        else { return end(connection) }
        connection.phase = .http2(client)
        metrics.http2Connections.add(1)
        flush(client)
    }

    func received(_ bytes: UnsafeRawBufferPointer, from client: HTTP2Connection) {
        let isHonest = client.session.receive(bytes)
        takeEvents(of: client)
        if !isHonest { metrics.http2Abusive.add() }
        flush(client)
        // The client broke the rules: it gets the bytes that are still to be sent, and nothing more.
        if !isHonest, case .http2 = client.connection.phase { finish(client.connection, lingers: true) }
    }

    /// Runs at the end of each callback, for streams that ended while something was written. They cannot be handled at
    /// once, since the code that wrote is not done with them.
    func handlePending() {
        guard !pending.isEmpty else { return }
        let due = pending
        pending = []
        for connection in due {
            guard case .http2(let client) = connection.phase else { continue }
            takeEvents(of: client)
            flush(client)
        }
        if !pending.isEmpty { port.waker.wake() }
    }

    func flush(_ client: HTTP2Connection) {
        let connection = client.connection
        client.flush()
        guard connection.isOpen else { return }
        if client.isBroken { return end(connection) }
        if client.session.isOver, !client.socket.isBehind { return finish(connection, lingers: true) }
        adjust(connection)
    }

    // MARK: Requests

    private func takeEvents(of client: HTTP2Connection) {
        for event in client.session.takeEvents() { handle(event, from: client) }
    }

    private func handle(_ event: SessionEvent, from client: HTTP2Connection) {
        switch event {
        case .request(let id, let head):
            if !openStream(id, head: head, of: client) { client.session.reset(id, reason: .refused) }
        case .body(let id, let bytes):
            // Gives credit back at once: the size of a body is checked before it is collected.
            client.session.consume(bytes.count, of: id)
            // Drops a body that nobody waits for: it would be kept as the next request, which never comes.
            guard let request = client.streams[id]?.request, request.expected != nil else { return }
            let collected = client.streams.values.reduce(bytes.count) { $0 + $1.request.input.count }
            guard collected <= SocketLoop.collectedLimit else {
                metrics.http2Abusive.add()
                return client.session.reset(id, reason: .refused)
            }
            bytes.withUnsafeBytes { received($0, on: request) }
        case .closed(let id): client.remove(id).map(end)
        }
    }

    /// The bodies that one client may have arriving at a time: those of a hundred webhooks of 40 KB.
    private static let collectedLimit = 4 << 20

    /// Returns false when there is no room.
    private func openStream(_ id: Int32, head: [UInt8], of client: HTTP2Connection) -> Bool {
        let connection = client.connection
        guard acceptor.isListening, client.streams.count < ServerSession.streamLimit else { return false }
        let admission = settings.limiter.enter(connection.peer)
        guard admission != .reject else {
            metrics.refused.add()
            return false
        }
        let stream = HTTP2Stream(id: id, of: client)
        let request = Connection(
            id: nextID(),
            link: stream,
            phase: .reading,
            peer: connection.peer,
            admission: admission
        )
        client.add(stream, for: request)
        add(request)
        metrics.http2Streams.add(1)
        setDeadline(for: request, seconds: limits.headerSeconds)
        head.withUnsafeBytes { received($0, on: request) }
        return true
    }
}
