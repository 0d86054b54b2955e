import HTTP
import Support

/// Handles arriving WebSocket frames (RFC 6455) and answers them.
struct WebSocketFrames {
    let loop: LoopContext
    let cable: CableServer
    let writer: PageWriter
    let closer: ConnectionCloser

    /// A client may send frames directly after its request.
    func readAhead(_ connection: Connection) {
        let ahead = connection.input.takeAll()
        connection.input = RequestBuffer()
        guard !ahead.isEmpty, connection.isOpen, connection.frames != nil else { return }
        ahead.withUnsafeBytes { received($0, on: connection) }
    }

    func received(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
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
            if case .cable(let client) = connection.phase { cable.received(text, from: client, on: connection) }
        case .binary:
            if case .cable = connection.phase { fail(connection, code: .unsupportedData) }
        case .ping, .pong: break
        case .closed(let answer):
            if case .closeSent = connection.phase { return closer.finish(connection, lingers: false) }
            closer.finish(connection, with: answer)
        case .failed(let code): fail(connection, code: code)
        }
    }

    /// Only the newest of several pings has to be answered (RFC 6455 §5.5.3): a flood of pings causes no flood of
    /// pongs, and a client that does not read gets none.
    private func answerPing(_ payload: [UInt8], on connection: Connection) {
        guard connection.isWebSocket == true, !connection.link.isBehind else { return }
        if !writer.write(Frame.encode(.pong, payload: payload), to: connection) { closer.end(connection) }
    }

    /// The client broke the rules, or sent a kind of message that is not accepted here.
    private func fail(_ connection: Connection, code: CloseCode) {
        if case .closeSent = connection.phase { return closer.end(connection) }
        if case .cable = connection.phase { loop.metrics.refusedFrames.add() }
        closer.finish(connection, with: Frame.close(code))
    }
}
