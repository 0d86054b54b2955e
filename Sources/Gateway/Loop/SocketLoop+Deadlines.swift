internal import Admission
internal import Concurrency
internal import Observability
internal import Sockets

/// How long everything may take.
extension SocketLoop {
    /// Gives the connection `seconds` for what it is doing.
    func setDeadline(of connection: Connection, seconds: Int) {
        deadlines.set(for: connection, seconds: seconds, now: clock.now)
    }

    /// Another thread works for the connection, or it is a page that keeps up.
    func clearDeadline(of connection: Connection) {
        deadlines.clear(for: connection)
    }

    /// The connection reads its answer, or is idle until the next request.
    func setDeadlineAfterAnswer(of connection: Connection) {
        guard connection.link.isBehind else { return setDeadline(of: connection, seconds: settings.limits.idleSeconds) }
        setWriteDeadline(of: connection)
    }

    /// Closes connections whose time is up. It uses no timer of lws, whose sorted list walks over every idle one.
    func closeOverdue() {
        for id in deadlines.tick() {
            guard let connection = connections[id] else { continue }
            if case .http2(let client) = connection.phase {
                checkDeadline(of: client, on: connection)
                continue
            }
            guard connection.deadline <= clock.now else { continue }
            guard !isReading(connection) else { continue }
            endOverdue(connection)
        }
    }

    /// A page has a deadline only while its socket takes no more.
    private func endOverdue(_ connection: Connection) {
        guard connection.isWebSocket == nil else { return endSlowReader(connection) }
        metrics.overdue(connection).add()
        end(connection)
    }

    private func checkDeadline(of client: HTTP2Connection, on connection: Connection) {
        guard !client.isBroken else { return end(connection) }
        guard let occupation = client.overdue(at: monotonicNanoseconds(), limits: settings.limits) else { return }
        // Its pages that wait for it to read are slow readers, whichever deadline is the first to pass.
        for stream in client.streams.values {
            if let page = connections[stream.connection], page.isBlocked { endSlowReader(page) }
        }
        metrics.overdue(occupation).add()
        end(connection)
    }
}
