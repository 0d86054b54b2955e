import HTTP
import Support

/// All connections of one loop until their sockets or streams are closed.
final class ConnectionTable {
    private let loop: LoopContext
    private var connections: [ConnectionID: Connection] = [:]
    private var lastNumber: UInt64 = 0
    /// Accepted connections that wait for others to give up their places.
    var acceptQueue = AcceptQueue()

    init(loop: LoopContext) {
        self.loop = loop
    }

    var isEmpty: Bool { connections.isEmpty }
    var all: some Collection<Connection> { connections.values }

    subscript(id: ConnectionID) -> Connection? { connections[id] }

    func nextID() -> ConnectionID {
        lastNumber += 1
        return ConnectionID(number: lastNumber)
    }

    func add(_ connection: Connection) {
        connections[connection.id] = connection
        loop.metrics.connections.add(1)
    }

    /// Its socket or stream is gone: nothing may refer to it anymore.
    func remove(_ connection: Connection) {
        if connection.socket != nil, acceptQueue.connectionClosed() { loop.port.waker.wake() }
        guard connections.removeValue(forKey: connection.id) != nil else { return }
        if connection.admission != .reject { loop.shared.limiter.leave(connection.client) }
        loop.metrics.connections.add(-1)
        loop.metrics.ended.add()
        if connection.socket == nil { loop.metrics.http2Streams.add(-1) }
    }

    /// The connections that make room when all places are taken: a sixteenth of the silent ones, by their deadlines.
    var evictable: some Collection<Connection> {
        // A new connection gets a moment to send something.
        let silent = connections.values.filter { $0.isSilent && $0.quietSince < loop.now - 1 }
            .sorted { ($0.deadline, $0.id.number) < ($1.deadline, $1.id.number) }
        return silent.prefix(1 + silent.count / 16)
    }
}

extension Connection {
    /// True if none of its complete heads waits for a body or for an answer, and no answer waits to be sent.
    fileprivate var isSilent: Bool {
        switch phase {
        case .shaking, .lingering: true
        case .reading: expected == nil && !link.isBehind && socket != nil
        case .http2(let client): client.isIdle
        default: false
        }
    }
}
