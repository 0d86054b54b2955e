import COpenSSL

/// The server's certificate chain and private key: read and checked once, shared by all loops.
///
/// `@unchecked Sendable`: an OpenSSL context keeps them together, nothing writes to it after the initializer, and
/// OpenSSL lets several threads read one (https://docs.openssl.org/3.0/man7/openssl-threads/).
public final class ServerIdentity: @unchecked Sendable {
    private let context: OpaquePointer

    /// Reads PEM files: the server's own certificate first, then the certificates that lead to the root.
    public init(certificateFile: String, keyFile: String) throws(ServerIdentityError) {
        guard let context = SSL_CTX_new(TLS_server_method()) else {
            throw ServerIdentityError(flaws: [.certificate])
        }
        self.context = context
        // Without this callback, OpenSSL would ask the terminal for a passphrase.
        SSL_CTX_set_default_passwd_cb(context) { _, _, _, _ in 0 }
        var flaws: [ServerIdentityError.Flaw] = []
        if SSL_CTX_use_PrivateKey_file(context, keyFile, SSL_FILETYPE_PEM) != 1 { flaws.append(.key) }
        if SSL_CTX_use_certificate_chain_file(context, certificateFile) != 1 { flaws.append(.certificate) }
        // By now OpenSSL has dropped a key that does not fit the certificate.
        if flaws.isEmpty, SSL_CTX_check_private_key(context) != 1 { flaws.append(.mismatch) }
        ERR_clear_error()
        if !flaws.isEmpty { throw ServerIdentityError(flaws: flaws) }
    }

    deinit {
        SSL_CTX_free(context)
    }

    public var hasExpired: Bool {
        X509_cmp_current_time(X509_get0_notAfter(SSL_CTX_get0_certificate(context))) < 0
    }

    /// Gives a connection that is being opened this identity and no other.
    func show(on ssl: OpaquePointer) -> Bool {
        var chain: OpaquePointer?
        SSL_CTX_ctrl(context, SSL_CTRL_GET_CHAIN_CERTS, 0, &chain)
        SSL_certs_clear(ssl)
        let certificate = SSL_CTX_get0_certificate(context)
        let key = SSL_CTX_get0_privatekey(context)
        return SSL_use_cert_and_key(ssl, certificate, key, chain, 1) == 1
    }
}

/// Every flaw of a certificate and its key that can be found at once.
public struct ServerIdentityError: Error, Equatable, CustomStringConvertible {
    public enum Flaw: Sendable {
        /// The file cannot be read or holds no certificate in PEM.
        case certificate
        /// The file cannot be read or holds no private key in PEM without a passphrase.
        case key
        /// The key belongs to another certificate.
        case mismatch
    }

    public var flaws: [Flaw]

    public var description: String {
        flaws.map { flaw in
            switch flaw {
            case .certificate: "the certificate file cannot be read or holds no certificate in PEM"
            case .key: "the key file cannot be read or holds no private key in PEM without a passphrase"
            case .mismatch: "the key does not belong to the certificate"
            }
        }.joined(separator: "; ")
    }
}
