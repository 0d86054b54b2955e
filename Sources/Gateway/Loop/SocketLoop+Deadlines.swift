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

    /// The kernel took only a part of what was written.
    func setWriteDeadline(of connection: Connection) {
        connection.acknowledged = connection.link.confirmedBytes
        setDeadline(of: connection, seconds: settings.limits.writeSeconds)
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
            metrics.overdue(connection).add()
            end(connection)
        }
    }

    /// A slow line may carry a large answer: a reader that took 1 KiB a second gets the same time again.
    private func isReading(_ connection: Connection) -> Bool {
        guard connection.link.isBehind else { return false }
        let least = UInt64(settings.limits.writeSeconds) << 10
        guard connection.link.confirmedBytes >= connection.acknowledged + least else { return false }
        setWriteDeadline(of: connection)
        return true
    }

    private func checkDeadline(of client: HTTP2Connection, on connection: Connection) {
        guard !client.isBroken else { return end(connection) }
        guard let occupation = client.overdue(at: monotonicNanoseconds(), limits: settings.limits) else { return }
        metrics.overdue(occupation).add()
        end(connection)
    }
}
