import Glibc
import HTTP
import Support

/// Reads from sockets that are readable, and sends on those that are writable.
extension SocketLoop {
    /// The number of reads that one connection gets in a row.
    private static let rounds = 8

    /// Handles a report about the connection's socket.
    func handle(_ report: Socket.Report, of connection: Connection) {
        if case .closed = report { return remove(connection) }
        guard connection.isOpen else { return }
        port.waker.awaken()
        if case .ready(let reading, let writing) = report {
            let waited = connection.socket?.readWaitsForRoom ?? false
            if writing { writable(connection) }
            if reading || waited, connection.isOpen { readable(connection) }
        } else {
            readable(connection)
            end(connection)
        }
        handlePending()
    }

    /// The peer accepts bytes again.
    private func writable(_ connection: Connection) {
        guard let socket = connection.socket else { return }
        if socket.flush() { advance(connection) } else { end(connection) }
    }

    private func readable(_ connection: Connection) {
        guard let socket = connection.socket else { return }
        if case .shaking = connection.phase, !shakeHands(on: socket, of: connection) { return }
        // Without TLS, the kernel reports waiting bytes again. OpenSSL may have decrypted more already.
        for _ in 0..<(socket.isEncrypted ? SocketLoop.rounds : 1) {
            switch socket.receive(into: buffer) {
            case .done(let count):
                received(UnsafeRawBufferPointer(rebasing: buffer[..<count]), on: connection)
                guard connection.isOpen, connection.takesInput else { return }
            case .waits, .waitsForOpposite:
                // Bytes that TLS has to send first have a deadline like any others.
                if socket.isBehind { wrote(to: connection) }
                return
            case .ended: return receivedEnd(connection)
            case .broken: return end(connection)
            }
        }
        if socket.isEncrypted { readAgain(connection) }
    }

    /// Returns false while the handshake continues, and after it has failed.
    private func shakeHands(on socket: Socket, of connection: Connection) -> Bool {
        switch socket.handshake() {
        case .waits, .waitsForOpposite: return false
        case .ended, .broken:
            end(connection)
            return false
        case .done: break
        }
        if socket.hasChosenHTTP2 {
            openHTTP2(on: connection)
        } else {
            connection.phase = .reading
            setDeadline(for: connection, seconds: limits.headerSeconds)
        }
        return connection.isOpen
    }

    /// The peer sends nothing more. If it waits for an answer, it still gets it.
    private func receivedEnd(_ connection: Connection) {
        connection.hasEnded = true
        switch connection.phase {
        case .waiting, .sending, .closing: connection.socket?.stopReading()
        case .reading where connection.link.isBehind: connection.socket?.stopReading()
        default: end(connection)
        }
    }

    // MARK: From whom is read, and when: bytes that would pile up here stay in the kernel

    /// Keeps reading, or leaves bytes in the kernel.
    func adjust(_ connection: Connection) {
        // A request over HTTP/2 is bounded by what the loop collects.
        guard let socket = connection.socket else { return }
        guard connection.takesInput else { return socket.stopReading() }
        guard !socket.isReading else { return }
        socket.resumeReading()
        if socket.isEncrypted { readAgain(connection) }
    }

    /// Has a connection read once more at the next turn.
    private func readAgain(_ connection: Connection) {
        if unread.isEmpty { port.waker.wake() }
        unread.append(connection)
    }
}

/// Accepts connections, and decides who makes room for them.
extension SocketLoop {
    /// Accepts 64 at a time, so that the pages get their turn.
    func accept() {
        port.waker.awaken()
        for _ in 0..<64 {
            switch acceptor.accept() {
            case .connection(let descriptor, let peer): welcome(descriptor, from: peer)
            case .nothing: return
            case .dropped: metrics.refused.add()
            // Try again at the next tick.
            case .stuck: return acceptor.pause()
            }
        }
    }

    /// Continues with those that had to give way: sockets with more to read, and newcomers without a place.
    func goOn() {
        for socket in acceptQueue.takeReady() {
            guard acceptor.isListening else {
                Glibc.close(socket.descriptor)
                continue
            }
            welcome(socket.descriptor, from: socket.peer)
        }
        let due = unread
        unread = []
        for connection in due where connection.isOpen { readable(connection) }
    }

    private func welcome(_ descriptor: Int32, from peer: IPAddress?) {
        guard let admission = admit(peer) else {
            guard !acceptQueue.add(descriptor, from: peer) else { return }
            metrics.refused.add()
            Glibc.close(descriptor)
            return
        }
        deal(descriptor, from: peer, as: admission)
    }

    /// Connections that arrive at one socket go to the loops in turn, since each stays where it is: so all loops have as many.
    private func deal(_ descriptor: Int32, from peer: IPAddress?, as admission: ConnectionLimiter.Admission) {
        accepted += 1
        let turn = acceptsForAll ? accepted % (peers.count + 1) : 0
        guard turn > 0 else { return adopt(descriptor, from: peer, as: admission) }
        peers[turn - 1].send(.run { $0.adopt(descriptor, from: peer, as: admission) })
    }

    private func adopt(_ descriptor: Int32, from peer: IPAddress?, as admission: ConnectionLimiter.Admission) {
        guard let socket = Socket(descriptor, on: events, security: security) else {
            return settings.limiter.leave(peer)
        }
        let connection = Connection(
            id: nextID(),
            link: socket,
            socket: socket,
            phase: socket.isEncrypted ? .shaking : .reading,
            peer: peer,
            admission: admission
        )
        socket.start { [unowned self] report in handle(report, of: connection) }
        add(connection)
        let seconds = limits.headerSeconds
        // A stalled handshake holds 50 KB.
        let encrypted = min(LoopSettings.handshakeSeconds, seconds)
        setDeadline(for: connection, seconds: socket.isEncrypted ? encrypted : seconds)
    }

    /// When all places are taken, silent connections make room. Else a thousand half heads would keep all out.
    private func admit(_ peer: IPAddress?) -> ConnectionLimiter.Admission? {
        let admission = settings.limiter.enter(peer)
        if admission != .accept, settings.limiter.isFull {
            makeRoom()
            // What one socket accepts for all is silent at all of them.
            if acceptsForAll { for peer in peers { peer.send(.run { $0.makeRoom() }) } }
        }
        return admission == .reject ? nil : admission
    }

    /// A sixteenth of the silent connections leaves, by their deadlines. Places become free with their descriptors, at
    /// the end of the turn; until then newcomers use the reserve.
    private func makeRoom() {
        guard !acceptQueue.isAwaitingClose else { return }
        // A new connection gets a moment to send something.
        let silent = connections.values.filter { $0.isSilent && $0.quietSince < now - 1 }
            .sorted { ($0.deadline, $0.id.number) < ($1.deadline, $1.id.number) }
        for connection in silent.prefix(1 + silent.count / 16) {
            metrics.madeRoom.add()
            end(connection)
        }
    }

    // MARK: The table of connections

    func nextID() -> ConnectionID {
        lastNumber += 1
        return ConnectionID(number: lastNumber)
    }

    func add(_ connection: Connection) {
        connections[connection.id] = connection
        metrics.connections.add(1)
    }

    /// Its socket or stream is gone: nothing may refer to it anymore.
    func remove(_ connection: Connection) {
        if connection.socket != nil, acceptQueue.connectionClosed() { port.waker.wake() }
        guard connections.removeValue(forKey: connection.id) != nil else { return }
        if connection.admission != .reject { settings.limiter.leave(connection.client) }
        metrics.connections.add(-1)
        metrics.ended.add()
        if connection.socket == nil { metrics.http2Streams.add(-1) }
    }
}
