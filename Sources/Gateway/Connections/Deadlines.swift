internal import Support

/// The connections that have a deadline: those that are not pages, and pages that are behind. Each is checked once a
/// second.
final class Deadlines {
    private let loop: LoopContext
    private var wheel = TimerWheel<ConnectionID>(period: LoopSettings.deadlineTicks)

    init(loop: LoopContext) {
        self.loop = loop
    }

    /// Gives the connection `seconds` for what it is doing.
    func set(for connection: Connection, seconds: Int) {
        connection.quietSince = loop.now
        connection.deadline = loop.now + seconds * LoopSettings.ticksPerSecond
        if connection.deadlineHandle == nil { connection.deadlineHandle = wheel.add(connection.id) }
    }

    /// Another thread works for the connection, or it is a page that keeps up.
    func clear(for connection: Connection) {
        guard let handle = connection.deadlineHandle else { return }
        connection.deadlineHandle = nil
        wheel.remove(handle)
    }

    /// Advances by one tick and returns the connections whose deadlines are to be checked.
    func tick() -> [ConnectionID] { wheel.tick() }
}

/// Ends the connections whose time is up.
extension ConnectionCloser {
    /// Runs at each tick.
    func closeOverdue() {
        for id in deadlines.tick() {
            guard let connection = connections[id] else { continue }
            if case .http2(let client) = connection.phase {
                check(client, on: connection)
            } else if connection.deadline <= loop.now, !slowConsumers.isReading(connection) {
                endOverdue(connection)
            }
        }
    }

    private func endOverdue(_ connection: Connection) {
        // A page has a deadline only while its socket accepts no more.
        if connection.isPage { return endSlowConsumer(connection) }
        if case .closeSent = connection.phase { return end(connection) }
        loop.metrics.overdue(connection).add()
        end(connection)
    }

    private func check(_ client: HTTP2Connection, on connection: Connection) {
        guard !client.isBroken else { return end(connection) }
        guard let occupation = client.overdue(at: monotonicNanoseconds(), limits: loop.limits) else { return }
        // Its pages that wait for it to read are slow readers, whichever deadline passes first.
        for stream in client.streams.values {
            if let page = connections[stream.connection], page.isBlocked { endSlowConsumer(page) }
        }
        loop.metrics.overdue(occupation).add()
        end(connection)
    }
}
