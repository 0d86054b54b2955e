internal import Observability

/// From `accept` to the end: who is there, and who has to make room.
extension SocketLoop {
    func welcome(_ descriptor: Int32, from peer: IPAddress?) {
        guard let place = admit(peer) else { return keepWaiting(descriptor, from: peer) }
        guard let socket = Socket(descriptor, on: self) else { return census.leave(peer) }
        let phase = socket.isEncrypted ? Connection.Phase.shaking : .reading
        let connection = Connection(
            id: nextID(),
            link: socket,
            socket: socket,
            phase: phase,
            peer: peer,
            place: place
        )
        socket.start(connection)
        register(connection)
        let seconds = settings.limits.headerSeconds
        // A handshake that stalls holds 50 KB.
        watch(connection, seconds: socket.isEncrypted ? min(LoopSettings.handshakeSeconds, seconds) : seconds)
    }

    /// Somebody is just leaving for this one: a turn later there may be a place.
    private func keepWaiting(_ descriptor: Int32, from peer: IPAddress?) {
        guard leaving > 0, waiting.count < LoopSettings.waitingLimit else {
            metrics.refused.add()
            return ListeningSocket.drop(descriptor)
        }
        waiting.append((descriptor, peer))
    }

    /// Those who were let wait, once everybody has left who was to.
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

    /// When all places are taken, those who have not said anything whole yet make room: else a thousand clients that
    /// never finish a head would keep everybody out.
    private func admit(_ peer: IPAddress?) -> Census.Place? {
        let place = census.enter(peer)
        if place != .stay, census.isFull { makeRoom() }
        return place == .none ? nil : place
    }

    /// Ends the sixteenth of the silent ones whose deadlines are nearest. Their places are free when their descriptors
    /// are, at the next turn: the reserve is for those who come before that.
    private func makeRoom() {
        guard leaving == 0 else { return }
        // Whoever has come just now gets a moment to say something.
        let silent = connections.values.filter { $0.isSilent && $0.quietSince < now - 1 }
            .sorted { ($0.deadline, $0.id.number) < ($1.deadline, $1.id.number) }
        for connection in silent.prefix(1 + silent.count / 16) {
            metrics.madeRoom.add()
            end(connection)
        }
    }

    /// Nothing more is said or read. The socket is closed when the loop comes round.
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

    /// The socket is gone, or the stream: nothing may name the connection any more.
    func closed(_ connection: Connection) {
        if connection.socket != nil {
            leaving -= 1
            if leaving == 0, !waiting.isEmpty { port.wake() }
        }
        guard connections.removeValue(forKey: connection.id) != nil else { return }
        if connection.place != .none { census.leave(connection.client) }
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

    /// It has been sent no answer that it may still read, and none is being made for it.
    fileprivate var isSilent: Bool {
        switch phase {
        case .shaking, .lingering: true
        case .reading: expected == nil && !link.isBehind && socket != nil
        case .http2(let client): client.isIdle
        default: false
        }
    }
}
