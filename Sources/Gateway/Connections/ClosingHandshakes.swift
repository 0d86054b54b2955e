internal import Sockets

/// WebSockets that were sent a close frame and have a moment to answer it (RFC 6455 §7.1.1).
struct ClosingHandshakes {
    private struct Handshake {
        let id: ConnectionID
        /// The loop's tick at which we stop waiting.
        let end: Int
    }

    /// Oldest first.
    private var handshakes: [Handshake] = []

    mutating func add(_ id: ConnectionID, now: Int) {
        handshakes.append(Handshake(id: id, end: now + LoopSettings.closingHandshakeTicks))
    }

    /// Removes the connections whose time is up. Some may have gone already.
    mutating func takeOverdue(now: Int) -> [ConnectionID] {
        let due = handshakes.prefix { $0.end <= now }.map(\.id)
        if !due.isEmpty { handshakes.removeFirst(due.count) }
        return due
    }
}
