internal import ActionCable
internal import Hub
internal import Observability

/// Pages that take less than they are sent. What waits for one is bounded by the hub in bytes, and here in time; a page
/// beyond either bound is ended, and comes back with its cursor.
extension SocketLoop {
    /// Its socket takes no more: from now on the hub collects for it.
    func fellBehind(_ connection: Connection) {
        guard connection.behindSince == nil, connection.isWebSocket != nil else { return }
        connection.behindSince = clock.now
        setWriteDeadline(of: connection)
        for id in connection.subscriptions { hub.blocked(id) }
    }

    /// It has taken no byte for `PAYCAST_WRITE_SECONDS`.
    func isTooSlow(_ connection: Connection) -> Bool {
        connection.behindSince.map { clock.now - $0 >= settings.writeDeadlineTicks } ?? false
    }

    /// Tells it why, if it still reads that. Nil: it is gone already.
    func endSlowReader(_ connection: Connection?) {
        metrics.slow.add()
        if let connection { disconnect(connection, reason: .tooSlow) }
    }
}
