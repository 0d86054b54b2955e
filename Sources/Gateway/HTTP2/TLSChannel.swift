internal import CWebSockets
internal import Glibc

/// TLS on a connection of ours, by OpenSSL, without blocking. Owns the descriptor. Confined to one thread.
final class TLSChannel {
    enum Progress: Equatable {
        /// So many bytes; 1 for a handshake.
        case done(Int)
        /// The kernel has nothing, or takes nothing, for now.
        case waits
        /// Closed by the peer, or broken.
        case ended
    }

    let descriptor: Int32
    private let ssl: OpaquePointer
    /// Nothing may be said after OpenSSL has failed (SSL_get_error(3)).
    private var isBroken = false

    init?(_ context: OpaquePointer, descriptor: Int32) {
        guard let ssl = SSL_new(context) else { return nil }
        guard SSL_set_fd(ssl, descriptor) == 1 else {
            SSL_free(ssl)
            return nil
        }
        (self.ssl, self.descriptor) = (ssl, descriptor)
    }

    deinit {
        // One attempt: whoever does not take it sees the connection end.
        if !isBroken, SSL_is_init_finished(ssl) == 1 { SSL_shutdown(ssl) }
        ERR_clear_error()
        SSL_free(ssl)
        close(descriptor)
    }

    func handshake() -> Progress {
        progress { SSL_accept(ssl) }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> Progress {
        progress { SSL_read(ssl, buffer.baseAddress, Int32(buffer.count)) }
    }

    func write(_ bytes: ArraySlice<UInt8>) -> Progress {
        bytes.withUnsafeBytes { bytes in progress { SSL_write(ssl, bytes.baseAddress, Int32(bytes.count)) } }
    }

    private func progress(_ call: () -> Int32) -> Progress {
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

/// What all connections of HTTP/2 share of OpenSSL. Confined to one thread.
final class TLSContext {
    let pointer: OpaquePointer
    /// The certificate that new connections see.
    let security: LoopSecurity

    init?(_ identity: ServerIdentity) {
        guard let pointer = SSL_CTX_new(TLS_server_method()) else { return nil }
        self.pointer = pointer
        security = LoopSecurity(identity)
        security.configure(pointer)
        // What remains of TLS 1.2 after RFC 9113 §9.2.2.
        SSL_CTX_set_cipher_list(pointer, "ECDHE+AESGCM:ECDHE+CHACHA20")
        // Bytes that did not go out are kept by us, at another address; buffers of idle connections are freed.
        let modes = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS
        SSL_CTX_ctrl(pointer, SSL_CTRL_MODE, Int(modes), nil)
        // Called for connections whose ClientHello offers it.
        SSL_CTX_set_alpn_select_cb(pointer, { _, name, count, _, _, _ in TLSContext.choose(name, count) }, nil)
    }

    deinit {
        SSL_CTX_free(pointer)
    }

    private static func choose(
        _ name: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ count: UnsafeMutablePointer<UInt8>?
    ) -> Int32 {
        let protocol2: StaticString = "h2"
        name?.pointee = protocol2.utf8Start
        count?.pointee = UInt8(protocol2.utf8CodeUnitCount)
        return SSL_TLSEXT_ERR_OK
    }
}
