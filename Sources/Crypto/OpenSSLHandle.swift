import COpenSSL
import Encoding

/// Owns one OpenSSL object and frees it. Every pointer that outlives a call belongs to a handle.
///
/// `@unchecked Sendable`: an object is only read once its handle exists, and OpenSSL 3 lets several threads read one
/// key, certificate or store at the same time
/// (https://docs.openssl.org/3.0/man7/openssl-threads/: reference counts and lazy caches have locks inside).
final class OpenSSLHandle: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let free: @convention(c) (OpaquePointer?) -> Void

    init?(_ pointer: OpaquePointer?, free: @escaping @convention(c) (OpaquePointer?) -> Void) {
        guard let pointer else { return nil }
        self.pointer = pointer
        self.free = free
    }

    deinit {
        free(pointer)
    }

    /// Keeps the object alive while `body` runs; `pointer` alone would not.
    func borrow<Result, Failure>(_ body: (OpaquePointer) throws(Failure) -> Result) throws(Failure) -> Result {
        defer { extendLifetime(self) }
        return try body(pointer)
    }
}

extension OpenSSLHandle {
    /// Reads exactly one object with one of OpenSSL's `d2i` functions; nil for anything else, and if a byte comes after it.
    convenience init?(
        der: [UInt8],
        free: @escaping @convention(c) (OpaquePointer?) -> Void,
        read: (inout UnsafePointer<UInt8>?, Int) -> OpaquePointer?
    ) {
        let (object, isWhole) = der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            let object = read(&cursor, buffer.count)
            return (object, cursor == buffer.baseAddress.map { $0 + buffer.count })
        }
        if object == nil { ERR_clear_error() }
        self.init(object, free: free)
        guard isWhole else { return nil }
    }
}

/// The common part of all kinds of keys.
extension OpenSSLHandle {
    /// Reads an unencrypted PKCS#8 key (`BEGIN PRIVATE KEY`).
    convenience init?(keyIn pem: String) {
        guard let der = PEM.blocks("PRIVATE KEY", in: pem)?.first else { return nil }
        self.init(der: der, free: EVP_PKEY_free) { d2i_AutoPrivateKey(nil, &$0, $1) }
    }

    /// Generates a key: `EC` on a named curve, or `RSA` of 2048 bits.
    static func key(_ algorithm: String, curve: String? = nil) throws(CryptoError) -> OpenSSLHandle {
        let context = EVP_PKEY_CTX_new_from_name(nil, algorithm, nil)
        defer { EVP_PKEY_CTX_free(context) }
        var pointer: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            curve.map({ EVP_PKEY_CTX_set_group_name(context, $0) == 1 }) ?? true,
            EVP_PKEY_generate(context, &pointer) == 1, let key = OpenSSLHandle(pointer, free: EVP_PKEY_free)
        else { throw .failing(to: .generateKey) }
        return key
    }

    /// Signs with SHA-256 and the key's own scheme: ECDSA in DER, or RSA with PKCS#1.
    func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var count = borrow { Int(EVP_PKEY_get_size($0)) }
        var signature = [UInt8](repeating: 0, count: count)
        guard borrow({ EVP_DigestSignInit(context, nil, EVP_sha256(), nil, $0) == 1 }),
            EVP_DigestSign(context, &signature, &count, message, message.count) == 1
        else { throw .failing(to: .sign) }
        return Array(signature.prefix(count))
    }

    /// Whether `signature` is what `signature(for:)` makes with the private key to this public one.
    func isValid(_ signature: [UInt8], for message: ArraySlice<UInt8>) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        let isValid = borrow { key in
            EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
                && message.withUnsafeBufferPointer {
                    EVP_DigestVerify(context, signature, signature.count, $0.baseAddress, $0.count) == 1
                }
        }
        if !isValid { ERR_clear_error() }
        return isValid
    }

    /// An unencrypted PKCS#8 key.
    func pem() throws(CryptoError) -> String {
        let info = borrow { EVP_PKEY2PKCS8($0) }
        defer { PKCS8_PRIV_KEY_INFO_free(info) }
        var der: UnsafeMutablePointer<UInt8>?
        let count = i2d_PKCS8_PRIV_KEY_INFO(info, &der)
        guard count > 0, let der else { throw .failing(to: .exportKey) }
        defer { CRYPTO_clear_free(der, Int(count), #fileID, Int32(#line)) }
        return PEM.text("PRIVATE KEY", der: Array(UnsafeBufferPointer(start: der, count: Int(count))))
    }
}

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
