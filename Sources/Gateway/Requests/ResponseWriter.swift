import HTTP
import Pages
import Support

/// Writes answers, and decides how the connection continues.
struct ResponseWriter {
    private let loop: LoopContext
    private let deadlines: Deadlines
    private let slowConsumers: SlowConsumers
    private let closer: ConnectionCloser

    init(_ closer: ConnectionCloser) {
        self.closer = closer
        loop = closer.loop
        deadlines = closer.deadlines
        slowConsumers = closer.slowConsumers
    }

    /// Writes an answer. Then the connection is free for the next request, or ends.
    func write(_ response: Response, on connection: Connection, terms: Connection.Terms) {
        loop.metrics.responses(response.status).add()
        connection.answers += 1
        let head = response.head(keepAlive: terms.keepAlive)
        if let file = response.file, terms.includesBody, !file.range.isEmpty {
            connection.link.limitUnsent(to: Int32(FileBody.pieceSize))
            guard connection.link.begin(head, body: [], date: loop.date, isWhole: false) else {
                return closer.end(connection)
            }
            connection.phase = .sending(file, terms)
            return sendOn(connection)
        }
        let body = terms.includesBody ? response.body : []
        guard connection.link.begin(head, body: body, date: loop.date, isWhole: true) else {
            return closer.end(connection)
        }
        answered(connection, terms: terms)
    }

    /// The whole answer has been written.
    private func answered(_ connection: Connection, terms: Connection.Terms) {
        guard !terms.keepAlive else {
            // Requests that the peer sent before it closed its side still have to be answered.
            connection.phase = .reading
            return setDeadline(for: connection)
        }
        closer.finish(connection, lingers: terms.lingers)
    }

    /// The connection reads its answer, or is idle until the next request.
    func setDeadline(for connection: Connection) {
        guard !connection.link.isBehind else { return slowConsumers.setDeadline(for: connection) }
        deadlines.set(for: connection, seconds: loop.limits.idleSeconds)
    }

    /// Sends the next pieces of a file, as far as the peer accepts them.
    func sendOn(_ connection: Connection) {
        while case .sending(var file, let terms) = connection.phase, !connection.link.isBehind {
            guard !file.range.isEmpty else {
                connection.link.finish()
                return answered(connection, terms: terms)
            }
            let piece = file.next()
            // Before the write: if an HTTP/2 client takes this piece at once, the next one is sent within the write.
            connection.phase = .sending(file, terms)
            // A file that has become shorter cannot fill the length that the head promised.
            guard let piece, connection.link.write(piece) else { return closer.end(connection) }
        }
        if case .sending = connection.phase { slowConsumers.setDeadline(for: connection) }
    }
}
