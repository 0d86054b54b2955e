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
        case http, text, ping

        fileprivate var kind: lws_write_protocol {
            switch self {
            case .http: LWS_WRITE_HTTP
            case .text: LWS_WRITE_TEXT
            case .ping: LWS_WRITE_PING
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

    /// The close frame that lws sends when the callback returns −1.
    func setCloseReason(_ code: UInt16) {
        lws_close_reason(wsi, lws_close_status(UInt32(code)), nil, 0)
    }

    /// Bytes that the peer's kernel has confirmed (`tcpi_bytes_acked`, include/uapi/linux/tcp.h); 0 when it is not known.
    var acknowledgedBytes: UInt64 {
        var information = [UInt64](repeating: 0, count: 32)
        var length = socklen_t(information.count * MemoryLayout<UInt64>.size)
        guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &information, &length) == 0, length >= 128 else {
            return 0
        }
        return information[15]
    }
}
