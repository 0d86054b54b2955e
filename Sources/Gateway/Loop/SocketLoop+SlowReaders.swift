internal import ActionCable
internal import Admission
internal import Hub
internal import Observability
internal import Sockets

/// Readers that take less than they are sent. What waits for a page is bounded by the hub in bytes, and here in time.
/// A page beyond either bound is ended, and comes back with its cursor.
extension SocketLoop {
    /// The socket of a page takes no more: from now on the hub collects for it.
    func fellBehind(_ connection: Connection) {
        guard !connection.isBlocked, connection.isWebSocket != nil else { return }
        connection.isBlocked = true
        setWriteDeadline(of: connection)
        for id in connection.subscriptions { hub.blocked(id) }
    }

    /// The kernel took only a part of what was written.
    func setWriteDeadline(of connection: Connection) {
        connection.progress = ReadingProgress(start: connection.link.confirmedBytes)
        setDeadline(of: connection, seconds: settings.limits.writeSeconds)
    }

    /// Gives a reader whose time is up the same time again if it has read steadily: its line may be slow.
    func isReading(_ connection: Connection) -> Bool {
        let confirmed = connection.link.confirmedBytes
        guard connection.link.isBehind,
            connection.progress.isSteady(confirmed: confirmed, after: settings.limits.writeSeconds)
        else { return false }
        setWriteDeadline(of: connection)
        return true
    }

    /// A ping waits behind all that was sent before. A page that is still reading its way there gets the same time again.
    func isReading(_ page: Page, since ping: ReadingProgress, on connection: Connection) -> Bool {
        let confirmed = connection.link.confirmedBytes
        guard ping.isSteady(confirmed: confirmed, after: LoopSettings.heartbeatSeconds) else { return false }
        page.unansweredPing = ReadingProgress(start: confirmed)
        return true
    }

    /// Ends a page that does not read, and tells it why if it still can be told.
    func endSlowReader(_ connection: Connection) {
        guard connection.isWebSocket != nil else { return }
        metrics.slow.add()
        disconnect(connection, reason: .tooSlow)
    }
}
