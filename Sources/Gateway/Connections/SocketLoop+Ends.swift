import HTTP
import Pages
import Support

/// How connections end: at once, after their last bytes, or after a farewell.
extension SocketLoop {
    // MARK: At once

    /// Sends and reads nothing more. The socket is closed at the end of the loop's turn.
    func end(_ connection: Connection) {
        guard connection.isOpen else { return }
        leave(connection)
        leaveHTTP2(connection)
        connection.phase = .ended
        clearDeadline(for: connection)
        if let stream = connection.link as? HTTP2Stream {
            stream.abandon()
            return remove(connection)
        }
        acceptQueue.connectionEnded()
        connection.socket?.end()
    }

    /// The client leaves, and all its requests end with it.
    private func leaveHTTP2(_ connection: Connection) {
        guard case .http2(let client) = connection.phase else { return }
        connection.phase = .closing
        metrics.http2Connections.add(-1)
        for id in client.streams.keys { client.remove(id).map(end) }
    }

    // MARK: After the last bytes

    /// Ends a connection once the peer has taken everything that was written.
    func finish(_ connection: Connection, lingers: Bool) {
        guard connection.isOpen else { return }
        leaveHTTP2(connection)
        connection.lingers = lingers
        connection.phase = .closing
        guard connection.socket != nil, !connection.link.isBehind else {
            connection.socket?.stopReading()
            return setWriteDeadline(for: connection)
        }
        linger(connection)
    }

    /// Closing a socket with unread bytes would reset the connection, which might lose the last bytes that we sent. So
    /// we keep reading for a moment from a peer that may still be sending.
    func linger(_ connection: Connection) {
        guard let socket = connection.socket else { return end(connection) }
        socket.sayGoodbye()
        guard connection.lingers, !connection.hasEnded else { return end(connection) }
        socket.finishSending()
        socket.resumeReading()
        connection.phase = .lingering
        connection.input = RequestBuffer()
        setDeadline(for: connection, seconds: LoopSettings.lingerSeconds)
    }

    // MARK: Pages

    /// Ends a page from outside its own callback, and says why to clients that can be told.
    func disconnect(_ connection: Connection, reason: CableDisconnect, code: CloseCode = .tryAgainLater) {
        if case .cable = connection.phase, !connection.link.isBehind {
            _ = connection.link.write(Frame.encode(.text, payload: CableMessage.disconnect(reason)))
        }
        close(connection, code: code)
    }

    /// A WebSocket gets 1013 (try again later), so that scripts come back. An event stream just ends.
    func close(_ connection: Connection, code: CloseCode = .tryAgainLater) {
        guard let isWebSocket = connection.isWebSocket else { return end(connection) }
        let wasBlocked = connection.isBlocked
        leave(connection)
        guard isWebSocket else {
            connection.link.finish()
            // Nobody waits for a reader that took nothing.
            return wasBlocked ? end(connection) : finish(connection, lingers: false)
        }
        guard !connection.link.isBehind, connection.link.write(Frame.close(code)) else { return end(connection) }
        connection.phase = .closeSent
        setDeadline(for: connection, seconds: LoopSettings.closingHandshakeSeconds)
    }

    /// Sends a WebSocket's last frame. Then the server closes (RFC 6455 §7.1.1), once the client can have read it.
    func finish(_ connection: Connection, with frame: [UInt8]) {
        leave(connection)
        guard connection.link.write(frame) else { return end(connection) }
        finish(connection, lingers: true)
    }
}
