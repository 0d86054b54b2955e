internal import HTTP1
internal import Sockets

/// The next step of a connection: after its peer has sent something, and once its peer accepts bytes again. An HTTP/2
/// stream is such a connection, too; its client is not.
extension RequestServer {
    func received(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
        switch connection.phase {
        case .reading, .waiting, .sending:
            connection.input.append(bytes)
            readRequests(connection)
        case .page(let page) where page.transport == .webSocket: webSockets.received(bytes, on: connection)
        case .cable, .closeSent: webSockets.received(bytes, on: connection)
        // The reader of an event stream has nothing to send, and a lingering peer has its answer.
        case .page, .closing, .lingering, .shaking, .http2, .ended: break
        }
    }

    /// Continues the work that had to wait for the peer.
    func advance(_ connection: Connection) {
        guard !connection.link.isBehind else { return }
        switch connection.phase {
        case .sending:
            responses.sendOn(connection)
            readRequests(connection)
        case .reading:
            if connection.expected == nil { responses.setDeadline(for: connection) }
            readRequests(connection)
        // An HTTP/2 stream ends by itself with its last frame.
        case .closing: if connection.socket != nil { closer.linger(connection) }
        case .page(let page): if writer.resume(connection) { pages.readOn(page, on: connection) }
        case .cable(let client): if writer.resume(connection) { cable.readNext(client, on: connection) }
        case .shaking, .waiting, .http2, .closeSent, .lingering, .ended: break
        }
    }
}
