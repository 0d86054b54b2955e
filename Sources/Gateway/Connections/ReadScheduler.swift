import HTTP

/// Decides from whom more is read, and when: bytes that would pile up here stay in the kernel.
final class ReadScheduler {
    private let port: LoopPort
    /// Connections with more to read than one turn allows.
    private var unread: [Connection] = []

    init(port: LoopPort) {
        self.port = port
    }

    /// Keeps reading, or leaves bytes in the kernel.
    func adjust(_ connection: Connection) {
        guard connection.takesInput else { return connection.link.stopReading() }
        guard let socket = connection.socket, !socket.isReading else { return }
        socket.resumeReading()
        if socket.isEncrypted { readAgain(connection) }
    }

    /// Has a connection read once more at the next turn.
    func readAgain(_ connection: Connection) {
        if unread.isEmpty { port.waker.wake() }
        unread.append(connection)
    }

    /// The connections that had to give way to others.
    func takeUnread() -> [Connection] {
        defer { unread = [] }
        return unread
    }
}

extension Connection {
    /// The number of bytes that a client may send ahead of the answer that it waits for.
    private static let readAhead = 64 << 10

    /// Whether more may be read. The limits of the request that the waiting bytes belong to bound them.
    var takesInput: Bool {
        switch phase {
        case .reading where link.isBehind: input.count < Connection.readAhead && !hasEnded
        case .waiting, .sending: input.count < Connection.readAhead && !hasEnded
        case .http2: !link.isBehind
        case .closing: false
        default: true
        }
    }
}
