internal import HTTP1
internal import Observability

/// Requests' answers, and what becomes of the connection after them.
extension SocketLoop {
    func perform(_ answer: Answer, on connection: Connection, _ terms: Connection.Terms) {
        switch answer {
        case .respond(let response): write(response, on: connection, terms)
        case .later(let start):
            connection.phase = .waiting(terms)
            unwatch(connection)
            guard !start(Reply(port: port, connection: connection.id)) else { return }
            write(.busy, on: connection, .init(keepAlive: false, includesBody: terms.includesBody, lingers: true))
        case .broadcast(let messages, let response):
            broadcast(messages)
            write(response, on: connection, terms)
        case .open(let page):
            guard connection.place == .stay, isListening else {
                metrics.turnedAway.add()
                return write(.turnedAway(page), on: connection, terms)
            }
            openEventStream(page, on: connection)
        case .openCable: write(.notFound, on: connection, terms)
        }
    }

    /// An answer from another thread. What was sent behind the request waits in the input.
    func replied(_ id: ConnectionID, _ response: Response) {
        guard let connection = connections[id], case .waiting(let terms) = connection.phase else { return }
        write(response, on: connection, terms)
        readRequests(connection)
    }

    /// Writes an answer; then the connection is free for the next request, or ends.
    func write(_ response: Response, on connection: Connection, _ terms: Connection.Terms) {
        metrics.responses(response.status).add()
        connection.answers += 1
        let head = response.head(keepAlive: terms.keepAlive)
        if let file = response.file, terms.includesBody, !file.range.isEmpty {
            connection.link.limitUnsent(to: Int32(FileBody.pieceSize))
            guard connection.link.begin(head, [], date: date, isWhole: false) else { return end(connection) }
            connection.phase = .sending(file, terms)
            return sendOn(connection)
        }
        let body = terms.includesBody ? response.body : []
        guard connection.link.begin(head, body, date: date, isWhole: true) else { return end(connection) }
        answered(connection, terms)
    }

    /// Everything has been said.
    private func answered(_ connection: Connection, _ terms: Connection.Terms) {
        guard !terms.keepAlive else {
            // What the peer sent before it closed its side is still to be answered.
            connection.phase = .reading
            return watchAfterAnswer(connection)
        }
        finish(connection, lingers: terms.lingers)
    }

    /// Ends a connection once the peer has taken what was said.
    func finish(_ connection: Connection, lingers: Bool) {
        guard connection.isOpen else { return }
        leaveHTTP2(connection)
        connection.lingers = lingers
        connection.phase = .closing
        guard connection.socket != nil, !connection.link.isBehind else {
            connection.link.stopReading()
            return watchReader(connection)
        }
        part(connection)
    }

    /// Closing with bytes that nobody has read would reset the connection, and what was said last might be lost with
    /// that: whoever may still be sending is heard for a moment.
    private func part(_ connection: Connection) {
        guard let socket = connection.socket else { return end(connection) }
        socket.sayGoodbye()
        guard connection.lingers, !connection.hasEnded else { return end(connection) }
        socket.finishSending()
        socket.resumeReading()
        connection.phase = .lingering
        connection.input = RequestBuffer()
        watch(connection, seconds: LoopSettings.lingerSeconds)
    }

    /// The next pieces of a file, as far as the peer takes them.
    private func sendOn(_ connection: Connection) {
        while case .sending(var file, let terms) = connection.phase, !connection.link.isBehind {
            guard !file.range.isEmpty else {
                connection.link.finish()
                return answered(connection, terms)
            }
            let piece = file.next()
            // Before the write: a client of HTTP/2 that takes it at once is sent the next one within.
            connection.phase = .sending(file, terms)
            // A file that has become shorter cannot keep the promise that its length was.
            guard let piece, connection.link.write(piece) else { return end(connection) }
        }
        if case .sending = connection.phase { watchReader(connection) }
    }

    /// The peer takes bytes again.
    func writable(_ connection: Connection) {
        guard let socket = connection.socket else { return }
        guard socket.flush() else { return end(connection) }
        advance(connection)
    }

    /// Goes on with what had to wait for the peer.
    func advance(_ connection: Connection) {
        guard !connection.link.isBehind else { return }
        switch connection.phase {
        case .sending:
            sendOn(connection)
            readRequests(connection)
        case .reading:
            if connection.expected == nil { watchAfterAnswer(connection) }
            readRequests(connection)
        // A stream of HTTP/2 ends by itself with its last frame.
        case .closing: if connection.socket != nil { part(connection) }
        case .page, .cable: flush(connection)
        case .http2(let client): flush(client, connection)
        case .shaking, .waiting, .parting, .lingering, .ended: break
        }
    }
}
