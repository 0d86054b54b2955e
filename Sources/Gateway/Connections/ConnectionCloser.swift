import HTTP
import Pages
import Support

/// Ends connections: at once, after their last bytes, or after a farewell. Whatever serves a connection may have to end it,
/// so the parts of a loop are built on this one, each on the one before.
final class ConnectionCloser {
    let loop: LoopContext
    let connections: ConnectionTable
    let subscriptions: Subscriptions
    let deadlines: Deadlines
    let slowConsumers: SlowConsumers

    /// `position` is the ledger's newest entry.
    init(loop: LoopContext, position: Int64) {
        self.loop = loop
        connections = ConnectionTable(loop: loop)
        subscriptions = Subscriptions(loop: loop, position: position)
        deadlines = Deadlines(loop: loop)
        slowConsumers = SlowConsumers(loop: loop, subscriptions: subscriptions, deadlines: deadlines)
    }

    // MARK: At once

    /// Sends and reads nothing more. The socket is closed at the end of the loop's turn.
    func end(_ connection: Connection) {
        guard connection.isOpen else { return }
        subscriptions.leave(connection)
        leaveHTTP2(connection)
        connection.phase = .ended
        deadlines.clear(for: connection)
        if let stream = connection.link as? HTTP2Stream {
            stream.abandon()
            return connections.remove(connection)
        }
        connections.acceptQueue.connectionEnded()
        connection.socket?.end()
    }

    /// The client leaves, and all its requests end with it.
    private func leaveHTTP2(_ connection: Connection) {
        guard case .http2(let client) = connection.phase else { return }
        connection.phase = .closing
        loop.metrics.http2Connections.add(-1)
        for id in client.streams.keys { endStream(id, of: client) }
    }

    func endStream(_ id: Int32, of client: HTTP2Connection) {
        client.remove(id).flatMap { connections[$0.connection] }.map(end)
    }

    // MARK: After the last bytes

    /// Ends a connection once the peer has taken everything that was written.
    func finish(_ connection: Connection, lingers: Bool) {
        guard connection.isOpen else { return }
        leaveHTTP2(connection)
        connection.lingers = lingers
        connection.phase = .closing
        guard connection.socket != nil, !connection.link.isBehind else {
            connection.link.stopReading()
            return slowConsumers.setDeadline(for: connection)
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
        deadlines.set(for: connection, seconds: LoopSettings.lingerSeconds)
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
        subscriptions.leave(connection)
        guard isWebSocket else {
            connection.link.finish()
            // Nobody waits for a reader that took nothing.
            return wasBlocked ? end(connection) : finish(connection, lingers: false)
        }
        guard !connection.link.isBehind, connection.link.write(Frame.close(code)) else { return end(connection) }
        connection.phase = .closeSent
        deadlines.set(for: connection, seconds: LoopSettings.closingHandshakeSeconds)
    }

    /// Sends a WebSocket's last frame. Then the server closes (RFC 6455 §7.1.1), once the client can have read it.
    func finish(_ connection: Connection, with frame: [UInt8]) {
        subscriptions.leave(connection)
        guard connection.link.write(frame) else { return end(connection) }
        finish(connection, lingers: true)
    }
}
