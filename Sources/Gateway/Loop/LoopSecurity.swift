internal import CWebSockets

/// TLS of one loop: what its context is told at the start, and which certificate a new connection gets to see.
///
/// Confined to the loop's thread, and outlives its context.
final class LoopSecurity {
    /// For connections to come; those that stand keep what they were shown.
    var identity: ServerIdentity

    init(_ identity: ServerIdentity) {
        self.identity = identity
    }

    /// lws makes the context of OpenSSL without a certificate, and shows it to `configure` before the first connection.
    func prepare(_ info: inout lws_context_creation_info) {
        info.options |= UInt64(paycast_lws_tls_options)
        // lws keeps the pointer. Without it, it would offer HTTP/2.
        let protocols: StaticString = "http/1.1"
        info.alpn = UnsafeRawPointer(protocols.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    func configure(_ context: OpaquePointer) {
        SSL_CTX_ctrl(context, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        // A renegotiation costs the server more than the client, and a write of ours might have to wait for a read.
        SSL_CTX_set_options(context, UInt64(paycast_ssl_no_renegotiation))
        // Tickets resume sessions without memory of ours.
        SSL_CTX_ctrl(context, SSL_CTRL_SET_SESS_CACHE_MODE, Int(SSL_SESS_CACHE_OFF), nil)
        SSL_CTX_set_cert_cb(context, { LoopSecurity.choose($0, $1) }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Called in every handshake, so that a renewed certificate needs no new context and no lost connection.
    private static func choose(_ ssl: OpaquePointer?, _ owner: UnsafeMutableRawPointer?) -> Int32 {
        guard let ssl, let owner else { return 0 }
        return Unmanaged<LoopSecurity>.fromOpaque(owner).takeUnretainedValue().identity.show(on: ssl) ? 1 : 0
    }
}
