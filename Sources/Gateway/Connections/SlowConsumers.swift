internal import HTTP
internal import Pages
internal import Support

/// Readers that take less than they are sent. The hub bounds a page's queue in bytes (`Hub+WaitingSubscriptions`), and
/// this bounds it in time. A page beyond either bound is ended, and comes back with its cursor.
struct SlowConsumers {
    let loop: LoopContext
    let subscriptions: Subscriptions
    let deadlines: Deadlines

    /// Something was written to a page. If its socket accepts no more, the hub collects for it from now on.
    func wrote(to connection: Connection) {
        guard connection.link.isBehind, !connection.isBlocked, connection.isPage else { return }
        connection.isBlocked = true
        setDeadline(for: connection)
        for id in connection.subscriptions { subscriptions.hub.blocked(id) }
    }

    /// The page has taken everything.
    func tookAll(_ connection: Connection) {
        connection.isBlocked = false
        if case .cable(let client) = connection.phase { client.owed = 0 }
        deadlines.clear(for: connection)
    }

    /// Gives the peer `PAYCAST_WRITE_SECONDS` to take what was written.
    func setDeadline(for connection: Connection) {
        connection.progress = PeerReadProgress(start: connection.link.confirmedBytes)
        deadlines.set(for: connection, seconds: loop.limits.writeSeconds)
    }

    /// Gives a reader whose time is up the same time again if it has read steadily: its line may be slow.
    func isReading(_ connection: Connection) -> Bool {
        // Many clients never answer our close frame, so none gets more time for it.
        if case .closeSent = connection.phase { return false }
        guard connection.link.isBehind else { return false }
        let confirmed = connection.link.confirmedBytes
        guard connection.progress.isSteady(confirmed: confirmed, after: loop.limits.writeSeconds) else { return false }
        setDeadline(for: connection)
        return true
    }

    /// A ping waits behind everything that was sent before. A page that still reads up to it gets more time.
    func isReading(_ page: Page, since ping: PeerReadProgress, on connection: Connection) -> Bool {
        let confirmed = connection.link.confirmedBytes
        guard ping.isSteady(confirmed: confirmed, after: Heartbeats.seconds) else { return false }
        page.unansweredPing = PeerReadProgress(start: confirmed)
        return true
    }
}

extension ConnectionCloser {
    /// Ends a page that does not read, and tells it why if it can still be told.
    func endSlowConsumer(_ connection: Connection) {
        guard connection.isPage else { return }
        loop.metrics.slow.add()
        disconnect(connection, reason: .tooSlow)
    }
}
