import HTTP
import Support

/// Reads from sockets that are readable, and sends on those that are writable.
final class SocketDriver {
    /// Nil without TLS.
    let security: TLSContext?
    private let events: EventLoop
    private let loop: LoopContext
    private let connections: ConnectionTable
    private let deadlines: Deadlines
    private let closer: ConnectionCloser
    private let requests: RequestServer
    private let http2: HTTP2Clients
    /// The buffer into which every socket is read. Nothing stays in it.
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// The number of reads that one connection gets in a row.
    private static let rounds = 8

    init(_ http2: HTTP2Clients, events: EventLoop, security: TLSContext?) {
        self.http2 = http2
        self.events = events
        self.security = security
        requests = http2.requests
        closer = requests.closer
        loop = closer.loop
        connections = closer.connections
        deadlines = closer.deadlines
    }

    deinit {
        buffer.deallocate()
    }

    /// Handles a report about the connection's socket.
    func handle(_ report: Socket.Report, of connection: Connection) {
        switch report {
        case .ready(let reading, let writing):
            serve(connection) {
                let waited = connection.socket?.readWaitsForRoom ?? false
                if writing { writable(connection) }
                if reading || waited, connection.isOpen { readable(connection) }
            }
        case .failed:
            serve(connection) {
                readable(connection)
                closer.end(connection)
            }
        case .closed: connections.remove(connection)
        }
    }

    private func serve(_ connection: Connection, body: () -> Void) {
        guard connection.isOpen else { return }
        loop.port.waker.awaken()
        body()
        http2.handlePending()
    }

    // MARK: Writing

    /// The peer accepts bytes again.
    private func writable(_ connection: Connection) {
        guard let socket = connection.socket else { return }
        guard socket.flush() else { return closer.end(connection) }
        guard case .http2(let client) = connection.phase else { return requests.advance(connection) }
        if !socket.isBehind { http2.flush(client, on: connection) }
    }

    // MARK: Reading

    func readable(_ connection: Connection) {
        guard let socket = connection.socket else { return }
        if case .shaking = connection.phase, !shakeHands(on: socket, of: connection) { return }
        // Without TLS, the kernel reports waiting bytes again. OpenSSL may have decrypted more already.
        for _ in 0..<(socket.isEncrypted ? SocketDriver.rounds : 1) {
            switch socket.receive(into: buffer) {
            case .bytes(let count):
                received(UnsafeRawBufferPointer(rebasing: buffer[..<count]), on: connection)
                guard connection.isOpen, connection.takesInput else { return }
            case .nothing:
                // Bytes that TLS has to send first have a deadline like any others.
                if socket.isBehind { closer.slowConsumers.wrote(to: connection) }
                return
            case .end: return receivedEnd(connection)
            case .broken: return closer.end(connection)
            }
        }
        if socket.isEncrypted { requests.reads.readAgain(connection) }
    }

    /// Returns false while the handshake continues, and after it has failed.
    private func shakeHands(on socket: Socket, of connection: Connection) -> Bool {
        switch socket.handshake() {
        case .waits, .waitsForOpposite: return false
        case .ended:
            closer.end(connection)
            return false
        case .done: break
        }
        if socket.hasChosenHTTP2 {
            http2.open(on: connection)
        } else {
            connection.phase = .reading
            deadlines.set(for: connection, seconds: loop.limits.headerSeconds)
        }
        return connection.isOpen
    }

    private func received(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
        guard case .http2(let client) = connection.phase else { return requests.received(bytes, on: connection) }
        http2.received(bytes, from: client, on: connection)
    }

    /// The peer sends nothing more. If it waits for an answer, it still gets it.
    private func receivedEnd(_ connection: Connection) {
        connection.hasEnded = true
        switch connection.phase {
        case .waiting, .sending, .closing: connection.link.stopReading()
        case .reading where connection.link.isBehind: connection.link.stopReading()
        default: closer.end(connection)
        }
    }
}

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
        for connection in requests.reads.takeUnread() where connection.isOpen { readable(connection) }
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
