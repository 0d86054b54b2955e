internal import COpenSSL

/// OpenSSL refused something that is ours: a key file, a certificate to be made. Peers' input has its own errors.
public enum CryptoError: Error, Equatable, CustomStringConvertible {
    case unreadableKey
    case failed(Operation)

    /// What was attempted; a closed set, so that nothing secret gets into a message.
    public enum Operation: String, Sendable {
        case generateKey = "generate a key"
        case exportKey = "export a key"
        case sign = "sign"
        case makeCertificate = "make a certificate"
    }

    public var description: String {
        switch self {
        case .unreadableKey: "the private key cannot be read: expected one of its kind in PKCS#8 (PEM)"
        case .failed(let operation): "OpenSSL could not \(operation.rawValue)"
        }
    }

    /// Leaves nothing in this thread's error queue for a later call to trip over.
    static func failing(to operation: Operation) -> CryptoError {
        ERR_clear_error()
        return .failed(operation)
    }
}
