import HTTP
import Pages
import Support

/// The connections that have a deadline: those that are not pages, and pages that are behind. Each is checked once a
/// second.
extension SocketLoop {
    /// Gives the connection `seconds` for what it is doing.
    func setDeadline(for connection: Connection, seconds: Int) {
        connection.quietSince = now
        connection.deadline = now + seconds * LoopSettings.ticksPerSecond
        guard !connection.isWatched else { return }
        connection.isWatched = true
        deadlines.add(connection.id, within: LoopSettings.deadlineTicks)
    }

    /// Another thread works for the connection, or it is a page that keeps up.
    func clearDeadline(for connection: Connection) {
        connection.deadline = .max
    }

    /// Runs at each tick.
    func closeOverdue() {
        for id in deadlines.tick() {
            guard let connection = connections[id] else { continue }
            if case .http2(let client) = connection.phase {
                check(client, on: connection)
            } else if connection.deadline <= now, !isReading(connection) {
                endOverdue(connection)
            }
            // It is checked again, unless it has no deadline by now.
            connection.isWatched = connection.deadline < .max
            if connection.isWatched { deadlines.add(id, after: LoopSettings.deadlineTicks) }
        }
    }

    private func endOverdue(_ connection: Connection) {
        // A page has a deadline only while its socket accepts no more.
        if connection.isPage { return endSlowConsumer(connection) }
        if case .closeSent = connection.phase { return end(connection) }
        metrics.overdue(connection).add()
        end(connection)
    }

    private func check(_ client: HTTP2Connection, on connection: Connection) {
        guard !client.isBroken else { return end(connection) }
        guard let occupation = client.overdue(at: monotonicNanoseconds(), limits: limits) else { return }
        // Its pages that wait for it to read are slow readers, whichever deadline passes first.
        for (_, page) in client.streams.values where page.isBlocked { endSlowConsumer(page) }
        metrics.overdue(occupation).add()
        end(connection)
    }
}

/// Readers that take less than they are sent. The hub bounds a page's queue in bytes (`SubscriptionQueue`), and
/// this bounds it in time. A page beyond either bound is ended, and comes back with its cursor.
extension SocketLoop {
    /// Something was written to a page. If its socket accepts no more, the hub collects for it from now on.
    func wrote(to connection: Connection) {
        guard connection.link.isBehind, !connection.isBlocked, connection.isPage else { return }
        connection.isBlocked = true
        setWriteDeadline(for: connection)
        for id in connection.subscriptions { hub.blocked(id) }
    }

    /// Gives the peer `PAYCAST_WRITE_SECONDS` to take what was written.
    func setWriteDeadline(for connection: Connection) {
        connection.progress = connection.link.confirmedBytes
        setDeadline(for: connection, seconds: limits.writeSeconds)
    }

    /// Gives a reader whose time is up the same time again if it has read steadily: its line may be slow.
    func isReading(_ connection: Connection) -> Bool {
        // Many clients never answer our close frame, so none gets more time for it.
        if case .closeSent = connection.phase { return false }
        guard connection.link.isBehind else { return false }
        let confirmed = connection.link.confirmedBytes
        guard readsSteadily(from: connection.progress, to: confirmed, in: limits.writeSeconds) else { return false }
        setWriteDeadline(for: connection)
        return true
    }

    /// Ends a page that does not read, and tells it why if it can still be told.
    func endSlowConsumer(_ connection: Connection) {
        guard connection.isPage else { return }
        metrics.slow.add()
        disconnect(connection, reason: .tooSlow)
    }
}

/// Whether a peer that had confirmed `start` bytes and has confirmed `bytes` by now, `seconds` later, is still reading. Its
/// kernel confirms bytes once it has room for them, so whoever reads nothing confirms nothing. A line may be slow: a reader
/// that takes 1 KiB a second keeps its connection.
func readsSteadily(from start: UInt64, to bytes: UInt64, in seconds: Int) -> Bool {
    bytes >= start + UInt64(seconds) << 10
}
