import COpenSSL

/// An RSA key that signs RS256, for a Google service account or the development store.
public struct RSAPrivateKey: Sendable {
    private let key: OpenSSLHandle

    private init?(_ key: OpenSSLHandle?) {
        guard let key, key.borrow({ EVP_PKEY_is_a($0, "RSA") == 1 && EVP_PKEY_get_bits($0) >= 2048 }) else {
            return nil
        }
        self.key = key
    }

    /// Makes a key of 2048 bits, for development, where no money depends on it.
    public static func generate() throws(CryptoError) -> RSAPrivateKey {
        guard let key = RSAPrivateKey(try .key("RSA")) else { throw .failing(to: .generateKey) }
        return key
    }

    /// Reads an unencrypted PKCS#8 key (`BEGIN PRIVATE KEY`), as in a service account's file.
    public init(pem: String) throws(CryptoError) {
        guard let key = RSAPrivateKey(OpenSSLHandle(keyIn: pem)) else { throw .unreadableKey }
        self = key
    }

    public func pem() throws(CryptoError) -> String { try key.pem() }

    /// RS256: PKCS#1 with SHA-256.
    public func signature(for message: [UInt8]) throws(CryptoError) -> [UInt8] { try key.signature(for: message) }

    /// `n` and `e` of the public key, as a JSON Web Key needs them.
    public var publicNumbers: (modulus: [UInt8], exponent: [UInt8]) { (number("n"), number("e")) }

    private func number(_ name: String) -> [UInt8] {
        var number: OpaquePointer?
        guard key.borrow({ EVP_PKEY_get_bn_param($0, name, &number) }) == 1 else { return [] }
        defer { BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: Int(BN_num_bits(number) + 7) / 8)
        BN_bn2bin(number, &bytes)
        return bytes
    }
}

/// An RSA key that verifies RS256 signatures (RFC 7518 §3.3). Several threads may use it at the same time.
public struct RSAPublicKey: Sendable {
    /// RFC 7518 requires 2048 bits; beyond 8192 a check costs milliseconds.
    private static let sizes = Int32(2048)...Int32(8192)

    private let key: OpenSSLHandle

    /// From a JSON Web Key's `n` and `e` (RFC 7518 §6.3.1), decoded. Returns nil for a weak key and for
    /// anything that is not a key. OpenSSL takes the two as a sequence (RFC 8017 §A.1.1).
    public init?(modulus: [UInt8], exponent: [UInt8]) {
        // 65537 in practice; 8 bytes are more than any store has ever used. With 1, every signature is its own message.
        let digits = exponent.drop { $0 == 0 }
        guard modulus.count <= 1024, exponent.count <= 8, let last = digits.last, last & 1 == 1,
            digits.count > 1 || last > 1
        else { return nil }
        let der = DER.sequence(DER.integer(modulus[...]) + DER.integer(exponent[...]))
        guard
            let key = OpenSSLHandle(der: der, free: EVP_PKEY_free, read: { d2i_PublicKey(EVP_PKEY_RSA, nil, &$0, $1) })
        else { return nil }
        guard key.borrow({ RSAPublicKey.sizes.contains(EVP_PKEY_get_bits($0)) }) else { return nil }
        self.key = key
    }

    /// Returns false unless `signature` is a PKCS#1 signature with SHA-256 of exactly `message`.
    public func isValid(_ signature: [UInt8], for message: ArraySlice<UInt8>) -> Bool {
        key.isValid(signature, for: message)
    }
}
