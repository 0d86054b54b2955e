/// Connections that go on at the loop's next turn, so that the others get theirs.
struct TurnQueue {
    private var connections: [Connection] = []

    var isEmpty: Bool { connections.isEmpty }

    mutating func add(_ connection: Connection) {
        connections.append(connection)
    }

    mutating func takeAll() -> [Connection] {
        defer { connections = [] }
        return connections
    }
}
