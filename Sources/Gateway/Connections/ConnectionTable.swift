internal import Sockets

/// All connections of one loop until their sockets or streams are closed.
struct ConnectionTable {
    private var connections: [ConnectionID: Connection] = [:]
    private var lastNumber: UInt64 = 0

    var isEmpty: Bool { connections.isEmpty }
    var all: some Collection<Connection> { connections.values }

    subscript(id: ConnectionID) -> Connection? { connections[id] }

    mutating func nextID() -> ConnectionID {
        lastNumber += 1
        return ConnectionID(number: lastNumber)
    }

    mutating func add(_ connection: Connection) {
        connections[connection.id] = connection
    }

    /// Returns false when it was removed before.
    mutating func remove(_ connection: Connection) -> Bool {
        connections.removeValue(forKey: connection.id) != nil
    }

    /// The connections that make room when all places are taken: a sixteenth of the silent ones, those whose deadlines
    /// are nearest. `now` is the loop's tick.
    func evictable(at now: Int) -> some Collection<Connection> {
        // A new connection gets a moment to send something.
        let silent = connections.values.filter { $0.isSilent && $0.quietSince < now - 1 }
            .sorted { ($0.deadline, $0.id.number) < ($1.deadline, $1.id.number) }
        return silent.prefix(1 + silent.count / 16)
    }
}

extension Connection {
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
