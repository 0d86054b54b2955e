internal import Concurrency
internal import Observability
internal import Sockets

/// Ends the connections whose time is up.
extension ConnectionCloser {
    /// Runs at each tick.
    func closeOverdue() {
        for id in deadlines.tick() {
            guard let connection = connections[id] else { continue }
            if case .http2(let client) = connection.phase {
                check(client, on: connection)
            } else if connection.deadline <= loop.now, !slowReaders.isReading(connection) {
                endOverdue(connection)
            }
        }
    }

    private func endOverdue(_ connection: Connection) {
        // A page has a deadline only while its socket takes no more.
        if connection.isPage { return endSlowReader(connection) }
        if case .closeSent = connection.phase { return end(connection) }
        loop.metrics.overdue(connection).add()
        end(connection)
    }

    private func check(_ client: HTTP2Connection, on connection: Connection) {
        guard !client.isBroken else { return end(connection) }
        guard let occupation = client.overdue(at: monotonicNanoseconds(), limits: loop.limits) else { return }
        // Its pages that wait for it to read are slow readers, whichever deadline is the first to pass.
        for stream in client.streams.values {
            if let page = connections[stream.connection], page.isBlocked { endSlowReader(page) }
        }
        loop.metrics.overdue(occupation).add()
        end(connection)
    }
}
