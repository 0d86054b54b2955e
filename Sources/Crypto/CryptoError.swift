import COpenSSL

/// OpenSSL refused our own input, such as a key file or a certificate to make. Peers' input has its own errors.
public enum CryptoError: Error, Equatable, CustomStringConvertible {
    case unreadableKey
    case failed(Operation)

    /// The attempted operation. The set is closed, so that no secret gets into a message.
    public enum Operation: String, Sendable {
        case generateKey = "generate a key"
        case exportKey = "export a key"
        case sign = "sign"
        case makeCertificate = "make a certificate"
    }

    public var description: String {
        switch self {
        case .unreadableKey: "the private key cannot be read: it must be of the expected kind, in PKCS#8 (PEM)"
        case .failed(let operation): "OpenSSL could not \(operation.rawValue)"
        }
    }

    /// Clears this thread's error queue, so that no later call trips over it.
    static func failing(to operation: Operation) -> CryptoError {
        ERR_clear_error()
        return .failed(operation)
    }
}

/// The version of OpenSSL that is loaded.
public let opensslVersion = String(cString: OpenSSL_version(OPENSSL_VERSION_STRING))
