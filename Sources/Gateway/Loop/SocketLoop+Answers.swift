internal import Admission
internal import HTTP1
internal import HTTPMessages
internal import Observability
internal import Pages
internal import Sockets

/// Answers to requests, and what becomes of the connection afterwards.
extension SocketLoop {
    func perform(_ answer: Answer, on connection: Connection, terms: Connection.Terms) {
        switch answer {
        case .respond(let response): write(response, on: connection, terms: terms)
        case .later(let start):
            connection.phase = .waiting(terms)
            clearDeadline(of: connection)
            let reply = Reply { [port, id = connection.id] response in port.send(.reply(id, response)) }
            guard !start(reply) else { return }
            let refusal = Connection.Terms(keepAlive: false, includesBody: terms.includesBody, lingers: true)
            write(.busy, on: connection, terms: refusal)
        case .broadcast(let messages, let response):
            broadcast(messages)
            write(response, on: connection, terms: terms)
        case .open(let page):
            guard connection.admission == .accept, acceptor.isListening else {
                metrics.turnedAway.add()
                return write(EventStream.turnedAway(allowedOrigin: page.allowedOrigin), on: connection, terms: terms)
            }
            openEventStream(page, on: connection)
        case .openCable: write(.notFound, on: connection, terms: terms)
        }
    }

    /// Another thread has answered. Bytes that followed the request wait in the input.
    func write(_ response: Response, inReplyTo id: ConnectionID) {
        guard let connection = connections[id], case .waiting(let terms) = connection.phase else { return }
        write(response, on: connection, terms: terms)
        readRequests(connection)
    }

    /// Writes an answer. Then the connection is free for the next request, or ends.
    func write(_ response: Response, on connection: Connection, terms: Connection.Terms) {
        metrics.responses(response.status).add()
        connection.answers += 1
        let head = response.head(keepAlive: terms.keepAlive)
        if let file = response.file, terms.includesBody, !file.range.isEmpty {
            connection.link.limitUnsent(to: Int32(FileBody.pieceSize))
            guard connection.link.begin(head, body: [], date: clock.date, isWhole: false) else {
                return end(connection)
            }
            connection.phase = .sending(file, terms)
            return sendOn(connection)
        }
        let body = terms.includesBody ? response.body : []
        guard connection.link.begin(head, body: body, date: clock.date, isWhole: true) else { return end(connection) }
        answered(connection, terms: terms)
    }

    /// The whole answer has been written.
    private func answered(_ connection: Connection, terms: Connection.Terms) {
        guard !terms.keepAlive else {
            // Requests that the peer sent before it closed its side are still to be answered.
            connection.phase = .reading
            return setDeadlineAfterAnswer(of: connection)
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
            return setWriteDeadline(of: connection)
        }
        beginLingering(connection)
    }

    /// Closing a socket with unread bytes would reset the connection, which might lose the last bytes that we sent. So
    /// we keep reading for a moment from a peer that may still be sending.
    private func beginLingering(_ connection: Connection) {
        guard let socket = connection.socket else { return end(connection) }
        socket.sayGoodbye()
        guard connection.lingers, !connection.hasEnded else { return end(connection) }
        socket.finishSending()
        socket.resumeReading()
        connection.phase = .lingering
        connection.input = RequestBuffer()
        setDeadline(of: connection, seconds: LoopSettings.lingerSeconds)
    }

    /// Sends the next pieces of a file, as far as the peer takes them.
    private func sendOn(_ connection: Connection) {
        while case .sending(var file, let terms) = connection.phase, !connection.link.isBehind {
            guard !file.range.isEmpty else {
                connection.link.finish()
                return answered(connection, terms: terms)
            }
            let piece = file.next()
            // Before the write: if an HTTP/2 client takes this piece at once, the next one is sent within the write.
            connection.phase = .sending(file, terms)
            // A file that has become shorter cannot fill the length that the head promised.
            guard let piece, connection.link.write(piece) else { return end(connection) }
        }
        if case .sending = connection.phase { setWriteDeadline(of: connection) }
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
            if connection.expected == nil { setDeadlineAfterAnswer(of: connection) }
            readRequests(connection)
        // An HTTP/2 stream ends by itself with its last frame.
        case .closing: if connection.socket != nil { beginLingering(connection) }
        case .page, .cable: flush(connection)
        case .http2(let client): flush(client, on: connection)
        case .shaking, .waiting, .closeSent, .lingering, .ended: break
        }
    }
}
