internal import HTTP
internal import Support

/// Accepts connections, and decides who makes room for them.
extension SocketDriver {
    /// Accepts 64 at a time, so that the pages get their turn.
    func accept() {
        loop.port.waker.awaken()
        for _ in 0..<64 {
            switch loop.acceptor.accept() {
            case .connection(let descriptor, let peer): welcome(descriptor, from: peer)
            case .nothing: return
            case .dropped: loop.metrics.refused.add()
            // Try again at the next tick.
            case .stuck: return loop.acceptor.pause()
            }
        }
    }

    /// Continues with those that had to give way: sockets with more to read, and newcomers without a place.
    func goOn() {
        for socket in connections.acceptQueue.takeReady() {
            guard loop.acceptor.isListening else {
                ListeningSocket.drop(socket.descriptor)
                continue
            }
            welcome(socket.descriptor, from: socket.peer)
        }
        for connection in reads.takeUnread() where connection.isOpen { readable(connection) }
    }

    private func welcome(_ descriptor: Int32, from peer: IPAddress?) {
        guard let admission = admit(peer) else {
            guard !connections.acceptQueue.add(descriptor, from: peer) else { return }
            loop.metrics.refused.add()
            return ListeningSocket.drop(descriptor)
        }
        guard let socket = Socket(descriptor, on: events, security: security) else {
            return loop.shared.limiter.leave(peer)
        }
        let connection = Connection(
            id: connections.nextID(),
            link: socket,
            socket: socket,
            phase: socket.isEncrypted ? .shaking : .reading,
            peer: peer,
            admission: admission
        )
        socket.start { [unowned self] report in handle(report, of: connection) }
        connections.add(connection)
        let seconds = loop.limits.headerSeconds
        // A stalled handshake holds 50 KB.
        let encrypted = min(LoopSettings.handshakeSeconds, seconds)
        deadlines.set(for: connection, seconds: socket.isEncrypted ? encrypted : seconds)
    }

    /// When all places are taken, silent connections make room. Else a thousand half heads would keep all out.
    private func admit(_ peer: IPAddress?) -> ConnectionLimiter.Admission? {
        let admission = loop.shared.limiter.enter(peer)
        if admission != .accept, loop.shared.limiter.isFull { makeRoom() }
        return admission == .reject ? nil : admission
    }

    /// Places become free with their descriptors, at the end of the turn; until then newcomers use the reserve.
    private func makeRoom() {
        guard !connections.acceptQueue.isAwaitingClose else { return }
        for connection in connections.evictable {
            loop.metrics.madeRoom.add()
            closer.end(connection)
        }
    }
}
