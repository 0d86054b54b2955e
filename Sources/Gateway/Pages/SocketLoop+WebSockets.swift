import HTTP
import Pages
import Support

/// From an HTTP request to a WebSocket.
extension SocketLoop {
    func upgrade(_ request: Request, on connection: Connection) {
        let accept: String
        switch WebSocketHandshakeCheck(request) {
        case .refuse(let response): return respond(response, on: connection, terms: .refusal)
        case .accept(let key): accept = key
        }
        guard connection.admission == .accept, acceptor.isListening else {
            metrics.turnedAway.add()
            return respond(.full, on: connection, terms: .refusal)
        }
        switch settings.handler.handle(request) {
        case .respond(let response): respond(response, on: connection, terms: .refusal)
        case .open(let page):
            let head = switchProtocols(accepting: accept, speaking: nil, on: connection)
            guard connection.link.begin(head, body: [], date: date, isWhole: false) else {
                return end(connection)
            }
            open(page, as: .webSocket, on: connection)
        case .openCable:
            let spoken = request.offeredProtocol
            let head = switchProtocols(accepting: accept, speaking: spoken, on: connection)
            openCable(request, speaking: spoken ?? .base, beginningWith: head, on: connection)
        case .later, .broadcast: end(connection)
        }
        readAhead(connection)
    }

    /// From now on both sides speak frames. Returns the head of the answer, which is still to be sent.
    private func switchProtocols(
        accepting accept: String,
        speaking spoken: CableProtocol?,
        on connection: Connection
    ) -> ResponseHead {
        metrics.responses(101).add()
        var headers = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept)]
        if let spoken { headers.append(("Sec-WebSocket-Protocol", spoken.rawValue)) }
        connection.frames = FrameReader(messageLimit: limits.messageBytes)
        clearDeadline(for: connection)
        return ResponseHead(status: 101, headers: headers, length: nil, keepAlive: true)
    }
}

/// Handles arriving WebSocket frames (RFC 6455) and answers them.
extension SocketLoop {
    /// A client may send frames directly after its request.
    func readAhead(_ connection: Connection) {
        let ahead = connection.input.takeAll()
        connection.input = RequestBuffer()
        guard !ahead.isEmpty, connection.isOpen, connection.frames != nil else { return }
        ahead.withUnsafeBytes { receivedFrames($0, on: connection) }
    }

    func receivedFrames(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
        let events = connection.frames?.read(bytes) ?? []
        // Every arriving byte is a sign of life.
        if case .page(let page) = connection.phase { page.unansweredPing = nil }
        var ping: [UInt8]?
        for event in events {
            guard connection.isOpen else { return }
            if case .ping(let payload) = event { ping = payload } else { received(event, on: connection) }
        }
        if let ping { answerPing(ping, on: connection) }
    }

    private func received(_ event: FrameReader.Event, on connection: Connection) {
        switch event {
        case .text(let text):
            // Text from a page that follows a stream has no meaning.
            if case .cable(let client) = connection.phase { received(text, from: client) }
        case .binary:
            if case .cable = connection.phase { fail(connection, code: .unsupportedData) }
        case .ping, .pong: break
        case .closed(let answer):
            if case .closeSent = connection.phase { return finish(connection, lingers: false) }
            finish(connection, with: answer)
        case .failed(let code): fail(connection, code: code)
        }
    }

    /// Only the newest of several pings has to be answered (RFC 6455 §5.5.3): a flood of pings causes no flood of
    /// pongs, and a client that does not read gets none.
    private func answerPing(_ payload: [UInt8], on connection: Connection) {
        guard connection.isWebSocket == true, !connection.link.isBehind else { return }
        if !write(Frame.encode(.pong, payload: payload), to: connection) { end(connection) }
    }

    /// The client broke the rules, or sent a kind of message that is not accepted here.
    private func fail(_ connection: Connection, code: CloseCode) {
        if case .closeSent = connection.phase { return end(connection) }
        if case .cable = connection.phase { metrics.refusedFrames.add() }
        finish(connection, with: Frame.close(code))
    }
}
