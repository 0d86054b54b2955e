internal import COpenSSL

/// An RSA key that signs RS256, for a Google service account or the development store.
public struct RSAPrivateKey: Sendable {
    private let key: OpenSSLHandle

    private init?(owning pointer: OpaquePointer?) {
        guard let key = OpenSSLHandle(pointer, free: EVP_PKEY_free),
            key.borrow({ EVP_PKEY_is_a($0, "RSA") == 1 && EVP_PKEY_get_bits($0) >= 2048 })
        else { return nil }
        self.key = key
    }

    /// Makes a key of 2048 bits, for development, where no money depends on it.
    public static func generate() throws(CryptoError) -> RSAPrivateKey {
        let context = EVP_PKEY_CTX_new_from_name(nil, "RSA", nil)
        defer { EVP_PKEY_CTX_free(context) }
        var pointer: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_generate(context, &pointer) == 1,
            let key = RSAPrivateKey(owning: pointer)
        else { throw .failing(to: .generateKey) }
        return key
    }

    /// Reads an unencrypted PKCS#8 key (`BEGIN PRIVATE KEY`), as in a service account's file.
    public init(pem: String) throws(CryptoError) {
        guard let der = PEM.blocks("PRIVATE KEY", in: pem)?.first else { throw .unreadableKey }
        let pointer = der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return d2i_AutoPrivateKey(nil, &cursor, buffer.count)
        }
        guard let key = RSAPrivateKey(owning: pointer) else {
            ERR_clear_error()
            throw .unreadableKey
        }
        self = key
    }

    public func pem() throws(CryptoError) -> String { try key.pem() }

    /// RS256: PKCS#1 with SHA-256.
    public func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] { try key.signature(for: message) }

    /// `n` and `e` of the public key, as a JSON Web Key needs them.
    public var publicNumbers: (modulus: [UInt8], exponent: [UInt8]) {
        (number("n"), number("e"))
    }

    private func number(_ name: String) -> [UInt8] {
        var number: OpaquePointer?
        guard key.borrow({ EVP_PKEY_get_bn_param($0, name, &number) }) == 1 else { return [] }
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
        BN_bn2bin(number, &bytes)
        return bytes
    }
}
