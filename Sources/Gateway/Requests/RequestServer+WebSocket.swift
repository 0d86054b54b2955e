internal import ActionCable
internal import Admission
internal import HTTP1
internal import HTTPMessages
internal import Observability
internal import Sockets
internal import WebSocket

/// From an HTTP request to a WebSocket.
extension RequestServer {
    func upgrade(_ request: Request, on connection: Connection) {
        let refusal = Connection.Terms(keepAlive: false, includesBody: true, lingers: true)
        let accept: String
        switch WebSocketHandshakeCheck().admit(request) {
        case .refuse(let response): return responses.write(response, on: connection, terms: refusal)
        case .accept(let key): accept = key
        }
        guard connection.admission == .accept, loop.acceptor.isListening else {
            loop.metrics.turnedAway.add()
            return responses.write(.full, on: connection, terms: refusal)
        }
        switch loop.shared.handler.handle(request) {
        case .respond(let response): responses.write(response, on: connection, terms: refusal)
        case .open(let page):
            let head = switchProtocols(accepting: accept, speaking: nil, on: connection)
            guard connection.link.begin(head, body: [], date: loop.date, isWhole: false) else {
                return closer.end(connection)
            }
            pages.open(page, as: .webSocket, on: connection)
        case .openCable(let opening):
            let spoken = request.offeredProtocol
            let head = switchProtocols(accepting: accept, speaking: spoken, on: connection)
            cable.open(opening, speaking: spoken ?? .base, beginningWith: head, on: connection)
        case .later, .broadcast: closer.end(connection)
        }
        webSockets.readAhead(connection)
    }

    /// From now on both sides speak frames. Returns the head of the answer, which is still to be sent.
    private func switchProtocols(
        accepting accept: String,
        speaking spoken: CableProtocol?,
        on connection: Connection
    ) -> ResponseHead {
        loop.metrics.responses(101).add()
        var headers = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept)]
        if let spoken { headers.append(("Sec-WebSocket-Protocol", spoken.rawValue)) }
        connection.frames = FrameReader(messageLimit: loop.limits.messageBytes)
        deadlines.clear(for: connection)
        return ResponseHead(status: 101, headers: headers, length: nil, keepAlive: true)
    }
}
