internal import COpenSSL

/// An elliptic-curve key that signs: for the development store, tests, and a store's API.
public struct PrivateKey: Sendable {
    let key: OpenSSLHandle
    public let curve: Curve

    private init?(owning pointer: OpaquePointer?) {
        guard let key = OpenSSLHandle(pointer, free: EVP_PKEY_free), let curve = Curve(of: key) else { return nil }
        self.key = key
        self.curve = curve
    }

    public static func generate(_ curve: Curve) throws(CryptoError) -> PrivateKey {
        let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var pointer: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, curve.rawValue) == 1,
            EVP_PKEY_generate(context, &pointer) == 1, let key = PrivateKey(owning: pointer)
        else { throw .failing(to: .generateKey) }
        return key
    }

    /// The key that verifies this one's signatures; nil unless it is a P-256 key.
    public var publicKey: PublicKey? {
        key.borrow { key in
            EVP_PKEY_up_ref(key)
            return PublicKey(owning: key)
        }
    }

    /// Reads an unencrypted PKCS#8 key (`BEGIN PRIVATE KEY`).
    public init(pem: String) throws(CryptoError) {
        guard let der = PEM.blocks("PRIVATE KEY", in: pem)?.first else { throw .unreadableKey }
        let pointer = der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return d2i_AutoPrivateKey(nil, &cursor, buffer.count)
        }
        guard let key = PrivateKey(owning: pointer) else {
            ERR_clear_error()
            throw .unreadableKey
        }
        self = key
    }

    public func pem() throws(CryptoError) -> String { try key.pem() }

    /// ECDSA with SHA-256 in DER: certificates use this form, JWS refuses it.
    public func derSignature(for message: [UInt8]) throws(CryptoError) -> [UInt8] { try key.signature(for: message) }

    /// ES256 with a P-256 key: 64 raw bytes.
    public func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] {
        guard let raw = ECDSASignature.raw(der: try derSignature(for: message)) else { throw .failing(to: .sign) }
        return raw
    }
}
