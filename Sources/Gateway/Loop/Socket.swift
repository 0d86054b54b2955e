internal import CWebSockets
internal import Domain
internal import Glibc

/// One accepted connection, as libwebsockets sees it.
///
/// Valid from its first callback to `WSI_DESTROY`, and only on the thread of its loop. Everything that writes to, closes
/// or asks a connection goes through here.
struct Socket: Equatable {
    let wsi: OpaquePointer

    /// Bytes that `lws_write` overwrites before a WebSocket payload.
    static let headroom = Int(paycast_lws_headroom)

    enum Frame {
        case http, text, ping, close

        fileprivate var kind: lws_write_protocol {
            switch self {
            case .http: LWS_WRITE_HTTP
            case .text: LWS_WRITE_TEXT
            case .ping: LWS_WRITE_PING
            case .close: paycast_lws_write_close
            }
        }
    }

    /// Writes what follows the headroom of `buffer`; what the kernel does not take waits inside lws (`isBehind`).
    ///
    /// False when the connection is dead. The headroom is overwritten: a buffer belongs to one loop.
    func write(_ buffer: inout [UInt8], as frame: Frame) -> Bool {
        buffer.withUnsafeMutableBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return true }
            return lws_write(wsi, start + Socket.headroom, bytes.count - Socket.headroom, frame.kind) >= 0
        }
    }

    /// A whole text frame.
    func send(_ message: [UInt8]) -> Bool {
        var buffer = [UInt8](repeating: 0, count: Socket.headroom) + message
        return write(&buffer, as: .text)
    }

    /// A close frame (RFC 6455 §5.5.1). lws sends none of its own when a writable callback ends the connection.
    func sendClose(_ code: UInt16) -> Bool {
        var buffer = [UInt8](repeating: 0, count: Socket.headroom) + [UInt8(code >> 8), UInt8(code & 255)]
        return write(&buffer, as: .close)
    }

    /// True while the kernel has not taken all that was written.
    var isBehind: Bool { lws_partial_buffered(wsi) != 0 }

    /// Calls back when the kernel takes more. Two `epoll_ctl` calls: only for a connection that is behind or closing.
    func requestWritable() {
        lws_callback_on_writable(wsi)
    }

    /// Ends the request and waits for the next one; true means: return −1 so that lws closes.
    func completeTransaction() -> Bool {
        lws_http_transaction_completed(wsi) != 0
    }

    /// Bytes that lws has read but not parsed wait on this thread: in a head's callback, the rest of a pipelined request.
    var hasBufferedInput: Bool { lws_service_adjust_timeout(lws_get_context(wsi), 1, 0) == 0 }

    /// No timer of lws on this connection: its list is sorted, and each insertion walks it.
    func clearTimeout() {
        lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0)
    }

    func markEventStream() {
        lws_http_mark_sse(wsi)
        clearTimeout()
    }

    /// Closes as soon as the loop comes round, from outside a callback of this connection.
    func kill() {
        lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, Int32(LWS_TO_KILL_ASYNC))
    }

    /// Stops reading: a client that pipelines after a body must not be parsed before it is answered.
    func stopReading() {
        lws_rx_flow_control(wsi, 0)
    }

    func resumeReading() {
        lws_rx_flow_control(wsi, 1)
    }

    var descriptor: Int32 { lws_get_socket_fd(wsi) }

    /// What was agreed on in the handshake; nil without a subprotocol.
    var subprotocol: String? {
        lws_get_protocol(wsi).flatMap { $0.pointee.name.map { String(cString: $0) } }
    }

    /// Of the frame whose piece has just arrived.
    var frameIsBinary: Bool { lws_frame_is_binary(wsi) != 0 }

    /// The piece that has just arrived ends the message.
    var frameIsComplete: Bool { lws_is_final_fragment(wsi) != 0 && lws_remaining_packet_payload(wsi) == 0 }

    /// The kernel gives the connection up when nothing that was sent has been acknowledged for so long (tcp(7)).
    func endWhenUnanswered(after seconds: Int32) {
        var milliseconds = seconds * 1000
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, 4)
    }

    /// The close frame that lws sends when the callback returns −1.
    func setCloseReason(_ code: UInt16) {
        lws_close_reason(wsi, lws_close_status(UInt32(code)), nil, 0)
    }

    var isEncrypted: Bool { lws_is_ssl(wsi) != 0 }

    /// Whether the peer is on this machine.
    var isLocal: Bool {
        var buffer = [CChar](repeating: 0, count: 64)
        lws_get_peer_simple(wsi, &buffer, buffer.count)
        let peer = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        return peer.hasPrefix("127.") || peer == "::1" || peer.hasPrefix("::ffff:127.")
    }
}
