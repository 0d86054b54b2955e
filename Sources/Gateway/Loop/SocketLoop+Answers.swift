internal import HTTP1
internal import Observability

/// Answers to requests, and what becomes of the connection afterwards.
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
            guard connection.admission == .accept, isListening else {
                metrics.turnedAway.add()
                return write(.turnedAway(page), on: connection, terms)
            }
            openEventStream(page, on: connection)
        case .openCable: write(.notFound, on: connection, terms)
        }
    }

    /// Another thread has answered. Bytes that followed the request wait in the input.
    func replied(_ id: ConnectionID, _ response: Response) {
        guard let connection = connections[id], case .waiting(let terms) = connection.phase else { return }
        write(response, on: connection, terms)
        readRequests(connection)
    }

    /// Writes an answer. Then the connection is free for the next request, or ends.
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

    /// The whole answer has been written.
    private func answered(_ connection: Connection, _ terms: Connection.Terms) {
        guard !terms.keepAlive else {
            // Requests that the peer sent before it closed its side are still to be answered.
            connection.phase = .reading
            return watchAfterAnswer(connection)
        }
        finish(connection, lingers: terms.lingers)
    }

    /// Ends a connection once the peer has taken everything that was written.
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

    /// Closing a socket with unread bytes would reset the connection, which might lose the last bytes that we sent. So
    /// we keep reading for a moment from a peer that may still be sending.
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

    /// Sends the next pieces of a file, as far as the peer takes them.
    private func sendOn(_ connection: Connection) {
        while case .sending(var file, let terms) = connection.phase, !connection.link.isBehind {
            guard !file.range.isEmpty else {
                connection.link.finish()
                return answered(connection, terms)
            }
            let piece = file.next()
            // Before the write: if an HTTP/2 client takes this piece at once, the next one is sent within the write.
            connection.phase = .sending(file, terms)
            // A file that has become shorter cannot fill the length that the head promised.
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

    /// Continues what had to wait for the peer.
    func advance(_ connection: Connection) {
        guard !connection.link.isBehind else { return }
        switch connection.phase {
        case .sending:
            sendOn(connection)
            readRequests(connection)
        case .reading:
            if connection.expected == nil { watchAfterAnswer(connection) }
            readRequests(connection)
        // An HTTP/2 stream ends by itself with its last frame.
        case .closing: if connection.socket != nil { part(connection) }
        case .page, .cable: flush(connection)
        case .http2(let client): flush(client, connection)
        case .shaking, .waiting, .parting, .lingering, .ended: break
        }
    }
}
