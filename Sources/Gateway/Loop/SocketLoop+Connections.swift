internal import Observability

/// Connections from `accept` to their end: who is there, and who has to make room.
extension SocketLoop {
    func welcome(_ descriptor: Int32, from peer: IPAddress?) {
        guard let admission = admit(peer) else { return keepWaiting(descriptor, from: peer) }
        guard let socket = Socket(descriptor, on: self) else { return limiter.leave(peer) }
        let phase = socket.isEncrypted ? Connection.Phase.shaking : .reading
        let connection = Connection(
            id: nextID(),
            link: socket,
            socket: socket,
            phase: phase,
            peer: peer,
            admission: admission
        )
        socket.start(connection)
        register(connection)
        let seconds = settings.limits.headerSeconds
        // A stalled handshake holds 50 KB.
        watch(connection, seconds: socket.isEncrypted ? min(LoopSettings.handshakeSeconds, seconds) : seconds)
    }

    /// Lets a connection wait while another leaves: one turn later there may be a place for it.
    private func keepWaiting(_ descriptor: Int32, from peer: IPAddress?) {
        guard leaving > 0, waiting.count < LoopSettings.waitingLimit else {
            metrics.refused.add()
            return ListeningSocket.drop(descriptor)
        }
        waiting.append((descriptor, peer))
    }

    /// Welcomes the connections that wait, once all that had to leave are gone.
    func welcomeWaiting() {
        guard leaving == 0, !waiting.isEmpty else { return }
        let due = waiting
        waiting = []
        for (descriptor, peer) in due {
            if isListening { welcome(descriptor, from: peer) } else { ListeningSocket.drop(descriptor) }
        }
    }

    func register(_ connection: Connection) {
        connections[connection.id] = connection
        metrics.connections.add(1)
    }

    /// When all places are taken, silent connections make room. Otherwise a thousand clients that never finish a head
    /// would keep everybody out.
    private func admit(_ peer: IPAddress?) -> ConnectionLimiter.Admission? {
        let admission = limiter.enter(peer)
        if admission != .accept, limiter.isFull { makeRoom() }
        return admission == .reject ? nil : admission
    }

    /// Ends a sixteenth of the silent connections: those whose deadlines are nearest. Their places become free with
    /// their descriptors, at the next turn; until then newcomers use the reserve.
    private func makeRoom() {
        guard leaving == 0 else { return }
        // A new connection gets a moment to send something.
        let silent = connections.values.filter { $0.isSilent && $0.quietSince < now - 1 }
            .sorted { ($0.deadline, $0.id.number) < ($1.deadline, $1.id.number) }
        for connection in silent.prefix(1 + silent.count / 16) {
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
        leaving += 1
        connection.socket?.end()
    }

    /// From now on it follows nothing and has no deadline.
    private func retire(_ connection: Connection) {
        leave(connection)
        leaveHTTP2(connection)
        connection.phase = .ended
        unwatch(connection)
    }

    /// The socket or the stream is gone: nothing may refer to the connection anymore.
    func closed(_ connection: Connection) {
        if connection.socket != nil {
            leaving -= 1
            if leaving == 0, !waiting.isEmpty { port.wake() }
        }
        guard connections.removeValue(forKey: connection.id) != nil else { return }
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

    /// Whether no complete head of it waits for its body or for an answer, and no answer waits to be sent.
    fileprivate var isSilent: Bool {
        switch phase {
        case .shaking, .lingering: true
        case .reading: expected == nil && !link.isBehind && socket != nil
        case .http2(let client): client.isIdle
        default: false
        }
    }
}
