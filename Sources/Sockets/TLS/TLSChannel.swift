internal import CWebSockets
internal import Glibc

/// TLS on one of our connections, by OpenSSL, without blocking. Does not own the descriptor. Confined to one thread.
final class TLSChannel {
    private let ssl: OpaquePointer
    /// OpenSSL has failed, after which nothing more may be sent (SSL_get_error(3)).
    private var isBroken = false

    init?(_ context: TLSContext, descriptor: Int32) {
        guard let ssl = SSL_new(context.pointer) else { return nil }
        guard SSL_set_fd(ssl, descriptor) == 1 else {
            SSL_free(ssl)
            return nil
        }
        self.ssl = ssl
    }

    deinit {
        ERR_clear_error()
        SSL_free(ssl)
    }

    func handshake() -> Socket.Progress {
        progress { SSL_accept(ssl) }
    }

    /// Whether the handshake agreed on HTTP/2.
    var hasChosenHTTP2: Bool {
        var name: UnsafePointer<UInt8>?
        var count: UInt32 = 0
        SSL_get0_alpn_selected(ssl, &name, &count)
        return UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual("h2".utf8)
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Socket.Progress {
        progress { SSL_read(ssl, buffer.baseAddress, Int32(clamping: buffer.count)) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Socket.Progress {
        progress { SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count)) }
    }

    /// Makes one attempt: a peer that does not take it sees the connection end.
    func sayGoodbye() {
        guard !isBroken, SSL_is_init_finished(ssl) == 1 else { return }
        SSL_shutdown(ssl)
        ERR_clear_error()
    }

    private func progress(_ call: () -> Int32) -> Socket.Progress {
        guard !isBroken else { return .ended }
        ERR_clear_error()
        let result = call()
        if result > 0 { return .done(Int(result)) }
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .waits
        case SSL_ERROR_ZERO_RETURN: return .ended
        default:
            isBroken = true
            return .ended
        }
    }
}
