internal import ActionCable
internal import Admission
internal import HTTP1
internal import HTTPMessages
internal import Observability
internal import Sockets
internal import WebSocket

/// From an HTTP request to a WebSocket, and its frames (RFC 6455).
extension SocketLoop {
    func upgrade(_ request: Request, on connection: Connection) {
        let refusal = Connection.Terms(keepAlive: false, includesBody: true, lingers: true)
        let accept: String
        switch WebSocketGate().admit(request) {
        case .refuse(let response): return write(response, on: connection, terms: refusal)
        case .accept(let key): accept = key
        }
        guard connection.admission == .accept, acceptor.isListening else {
            metrics.turnedAway.add()
            return write(.full, on: connection, terms: refusal)
        }
        switch handler.handle(request) {
        case .respond(let response): write(response, on: connection, terms: refusal)
        case .open(let page):
            guard switchProtocols(accepting: accept, speaking: nil, on: connection) else { return end(connection) }
            open(page, as: .webSocket, on: connection)
        case .openCable(let opening):
            let spoken = request.offeredProtocol
            guard switchProtocols(accepting: accept, speaking: spoken, on: connection) else { return end(connection) }
            open(opening, speaking: spoken ?? .base, on: connection)
        case .later, .broadcast: end(connection)
        }
        readAhead(connection)
    }

    /// Sends a 101: from now on both sides speak frames.
    private func switchProtocols(
        accepting accept: String,
        speaking spoken: CableProtocol?,
        on connection: Connection
    ) -> Bool {
        metrics.responses(101).add()
        var headers = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept)]
        if let spoken { headers.append(("Sec-WebSocket-Protocol", spoken.rawValue)) }
        let head = ResponseHead(status: 101, headers: headers, length: nil, keepAlive: true)
        connection.frames = FrameReader(messageLimit: settings.limits.messageBytes)
        return connection.link.begin(head, body: [], date: clock.date, isWhole: false)
    }

    /// A client may send frames directly after its request.
    private func readAhead(_ connection: Connection) {
        let ahead = connection.input.takeAll()
        connection.input = RequestBuffer()
        guard !ahead.isEmpty, connection.isOpen, connection.frames != nil else { return }
        ahead.withUnsafeBytes { receivedFrames($0, on: connection) }
    }

    func receivedFrames(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
        let events = connection.frames?.read(bytes) ?? []
        // Anything that arrives is a sign of life.
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
            if case .cable(let client) = connection.phase { received(text, from: client, on: connection) }
        case .binary:
            if case .cable = connection.phase { fail(connection, code: .unsupportedData) }
        case .ping, .pong: break
        case .closed(let answer):
            if case .closeSent = connection.phase { return finish(connection, lingers: false) }
            leave(connection)
            finish(connection, with: answer)
        case .failed(let code): fail(connection, code: code)
        }
    }

    /// Only the newest of several pings has to be answered (RFC 6455 §5.5.3): a flood of pings causes no flood of
    /// pongs, and a client that does not read gets none.
    private func answerPing(_ payload: [UInt8], on connection: Connection) {
        guard connection.isWebSocket == true, !connection.link.isBehind else { return }
        guard connection.link.write(Frame.encode(.pong, payload: payload)) else { return end(connection) }
        if connection.link.isBehind { fellBehind(connection) }
    }

    /// The client broke the rules, or sent a kind of message that is not accepted here.
    private func fail(_ connection: Connection, code: CloseCode) {
        if case .closeSent = connection.phase { return end(connection) }
        if case .cable = connection.phase { metrics.refusedFrames.add() }
        leave(connection)
        finish(connection, with: Frame.close(code))
    }

    /// Sends the last frame. Then the server closes (RFC 6455 §7.1.1), once the client can have read the frame.
    private func finish(_ connection: Connection, with frame: [UInt8]) {
        guard connection.link.write(frame) else { return end(connection) }
        finish(connection, lingers: true)
    }
}
