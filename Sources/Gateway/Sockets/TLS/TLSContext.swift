import COpenSSL

/// The OpenSSL context that all TLS connections of one loop share. Confined to the loop's thread.
final class TLSContext {
    let pointer: OpaquePointer
    /// How its connections read from their descriptors.
    let source: OpaquePointer
    /// The certificate for new connections; open connections keep the one they were shown.
    var identity: ServerIdentity

    /// Nil when OpenSSL has no memory.
    init?(_ identity: ServerIdentity) {
        guard let pointer = SSL_CTX_new(TLS_server_method()), let source = TLSChannel.makeSource() else { return nil }
        self.pointer = pointer
        self.source = source
        self.identity = identity
        SSL_CTX_ctrl(pointer, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        // A renegotiation costs the server more than the client, and a write might have to wait for a read.
        SSL_CTX_set_options(pointer, UInt64(paycast_ssl_no_renegotiation))
        // Tickets let clients resume sessions without memory on our side.
        SSL_CTX_ctrl(pointer, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        // Each ticket costs the work of a signature, and 1 KB while the connection lives. A returning client needs one.
        SSL_CTX_set_num_tickets(pointer, 1)
        // The cipher suites of TLS 1.2 that remain after RFC 9113 §9.2.2.
        SSL_CTX_set_cipher_list(pointer, "ECDHE+AESGCM:ECDHE+CHACHA20")
        // We keep bytes that did not go out, at another address. OpenSSL frees the buffers of idle connections.
        let modes = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS
        SSL_CTX_ctrl(pointer, SSL_CTRL_MODE, Int(modes), nil)
        // On by default: one call would go on for as long as records without data keep coming.
        SSL_CTX_ctrl(pointer, SSL_CTRL_CLEAR_MODE, Int(SSL_MODE_AUTO_RETRY), nil)
        SSL_CTX_set_msg_callback(pointer, TLSChannel.countRecord)
        let owner = Unmanaged.passUnretained(self).toOpaque()
        SSL_CTX_set_cert_cb(pointer, { TLSContext.show(on: $0, owner: $1) }, owner)
        SSL_CTX_set_alpn_select_cb(pointer, chooseProtocol, nil)
    }

    deinit {
        SSL_CTX_free(pointer)
        BIO_meth_free(source)
    }

    /// Called in every handshake, so that a renewed certificate needs no new context and no lost connection.
    private static func show(on ssl: OpaquePointer?, owner: UnsafeMutableRawPointer?) -> Int32 {
        guard let ssl, let owner else { return 0 }
        return Unmanaged<TLSContext>.fromOpaque(owner).takeUnretainedValue().identity.show(on: ssl) ? 1 : 0
    }
}

/// Prefers HTTP/2 to HTTP/1.1. A client that offers neither gets HTTP/1.1 without an ALPN answer (RFC 7301 §3.2).
private func chooseProtocol(
    _ ssl: OpaquePointer?,
    name: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    count: UnsafeMutablePointer<UInt8>?,
    offers: UnsafePointer<UInt8>?,
    offersCount: UInt32,
    context: UnsafeMutableRawPointer?
) -> Int32 {
    let ours: StaticString = "\u{2}h2\u{8}http/1.1"
    let oursCount = UInt32(ours.utf8CodeUnitCount)
    var chosen: UnsafeMutablePointer<UInt8>?
    let status = SSL_select_next_proto(&chosen, count, ours.utf8Start, oursCount, offers, offersCount)
    guard status == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_NOACK }
    name?.pointee = UnsafePointer(chosen)
    return SSL_TLSEXT_ERR_OK
}
