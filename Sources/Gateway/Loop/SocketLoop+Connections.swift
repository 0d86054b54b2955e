internal import Admission
internal import Observability
internal import Sockets

/// Connections from `accept` to their end: who is there, and who has to make room.
extension SocketLoop {
    func welcome(_ descriptor: Int32, from peer: IPAddress?) {
        guard let admission = admit(peer) else {
            guard !acceptQueue.add(descriptor, from: peer) else { return }
            metrics.refused.add()
            return ListeningSocket.drop(descriptor)
        }
        guard let socket = Socket(descriptor, on: events, security: security) else { return limiter.leave(peer) }
        let phase = socket.isEncrypted ? Connection.Phase.shaking : .reading
        let connection = Connection(
            id: connections.nextID(),
            link: socket,
            socket: socket,
            phase: phase,
            peer: peer,
            admission: admission
        )
        socket.start { [unowned self] report in handle(report, of: connection) }
        register(connection)
        let seconds = settings.limits.headerSeconds
        // A stalled handshake holds 50 KB.
        let encrypted = min(LoopSettings.handshakeSeconds, seconds)
        setDeadline(of: connection, seconds: socket.isEncrypted ? encrypted : seconds)
    }

    /// A report of its socket.
    private func handle(_ report: Socket.Report, of connection: Connection) {
        switch report {
        case .ready(let reading, let writing):
            serve(connection) { connection in
                if writing { writable(connection) }
                if reading, connection.isOpen { readable(connection) }
            }
        case .failed:
            serve(connection) { connection in
                readable(connection)
                end(connection)
            }
        case .closed: closed(connection)
        }
    }

    /// Welcomes the connections that wait, once all that had to leave are gone.
    func welcomeWaiting() {
        for socket in acceptQueue.takeReady() {
            guard acceptor.isListening else {
                ListeningSocket.drop(socket.descriptor)
                continue
            }
            welcome(socket.descriptor, from: socket.peer)
        }
    }

    func register(_ connection: Connection) {
        connections.add(connection)
        metrics.connections.add(1)
    }

    /// When all places are taken, silent connections make room. Otherwise a thousand clients that never finish a head
    /// would keep everybody out.
    private func admit(_ peer: IPAddress?) -> ConnectionLimiter.Admission? {
        let admission = limiter.enter(peer)
        if admission != .accept, limiter.isFull { makeRoom() }
        return admission == .reject ? nil : admission
    }

    /// Places become free with their descriptors, at the next turn; until then newcomers use the reserve.
    private func makeRoom() {
        guard !acceptQueue.isAwaitingClose else { return }
        for connection in connections.evictable(at: clock.now) {
            metrics.madeRoom.add()
            end(connection)
        }
    }

    /// Sends and reads nothing more. The socket is closed at the loop's next turn.
    func end(_ connection: Connection) {
        guard connection.isOpen else { return }
        retire(connection)
        if let stream = connection.link as? HTTP2Stream {
            stream.abandon()
            return closed(connection)
        }
        acceptQueue.connectionEnded()
        connection.socket?.end()
    }

    /// From now on it follows nothing and has no deadline.
    private func retire(_ connection: Connection) {
        leave(connection)
        leaveHTTP2(connection)
        connection.phase = .ended
        clearDeadline(of: connection)
    }

    /// The socket or the stream is gone: nothing may refer to the connection anymore.
    func closed(_ connection: Connection) {
        if connection.socket != nil, acceptQueue.connectionClosed() { port.wake() }
        guard connections.remove(connection) else { return }
        if connection.admission != .reject { limiter.leave(connection.client) }
        metrics.connections.add(-1)
        metrics.ended.add()
        if connection.socket == nil { metrics.http2Streams.add(-1) }
    }
}

extension Connection {
    var isOpen: Bool {
        if case .ended = phase { false } else { true }
    }

    /// An answer is on its way to it.
    var isOwedSomething: Bool {
        switch phase {
        case .closing, .sending, .lingering: true
        case .reading: link.isBehind
        case .http2(let client): !client.isIdle
        default: false
        }
    }
}
