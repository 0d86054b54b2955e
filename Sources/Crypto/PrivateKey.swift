import COpenSSL

/// An elliptic-curve key that signs: for the development store, tests, and a store's API.
public struct PrivateKey: Sendable {
    let key: OpenSSLHandle
    public let curve: Curve

    private init?(_ key: OpenSSLHandle?) {
        guard let key, let curve = Curve(of: key) else { return nil }
        self.key = key
        self.curve = curve
    }

    public static func generate(_ curve: Curve) throws(CryptoError) -> PrivateKey {
        guard let key = PrivateKey(try .key("EC", curve: curve.rawValue)) else { throw .failing(to: .generateKey) }
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
        guard let key = PrivateKey(OpenSSLHandle(keyIn: pem)) else { throw .unreadableKey }
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

/// A P-256 key that verifies ES256 signatures (RFC 7518 §3.4). Several threads may use it at the same time.
public struct PublicKey: Sendable {
    private let key: OpenSSLHandle

    /// Takes over one reference. Returns nil for any other kind of key: ES256 requires P-256.
    init?(owning pointer: OpaquePointer?) {
        guard let key = OpenSSLHandle(pointer, free: EVP_PKEY_free), Curve(of: key) == .p256 else { return nil }
        self.key = key
    }

    /// Returns false unless `signature` is 64 raw bytes that sign exactly `message`.
    public func isValid(_ signature: [UInt8], for message: ArraySlice<UInt8>) -> Bool {
        ECDSASignature.der(raw: signature).map { key.isValid($0, for: message) } ?? false
    }
}

/// The elliptic curves of Apple's chain: P-256 signs documents, P-384 signs certificates.
public enum Curve: String, Sendable {
    case p256 = "prime256v1"
    case p384 = "secp384r1"

    init?(of key: OpenSSLHandle) {
        var name = [CChar](repeating: 0, count: 32)
        let isNamed = key.borrow { EVP_PKEY_get_group_name($0, &name, name.count - 1, nil) == 1 }
        guard isNamed else { return nil }
        self.init(rawValue: String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
}

/// The two formats of a P-256 signature: JWS has r and s side by side in 64 bytes (RFC 7518 §3.4), OpenSSL uses DER.
enum ECDSASignature {
    /// Returns nil unless `raw` is 64 bytes and neither half is zero.
    static func der(raw: [UInt8]) -> [UInt8]? {
        let (r, s) = (raw.prefix(32), raw.dropFirst(32))
        guard raw.count == 64, [r, s].allSatisfy({ half in half.contains { $0 != 0 } }) else { return nil }
        return DER.sequence(DER.integer(r) + DER.integer(s))
    }

    /// Returns nil unless `der` is a sequence of two integers below 2^256.
    static func raw(der: [UInt8]) -> [UInt8]? {
        var whole = BERReader(der[...])
        guard var numbers = try? whole.next(BERTag.sequence).elements, whole.isAtEnd,
            let r = padded(&numbers), let s = padded(&numbers), numbers.isAtEnd
        else { return nil }
        return r + s
    }

    private static func padded(_ numbers: inout BERReader) -> [UInt8]? {
        guard let digits = try? numbers.next(BERTag.integer).content.drop(while: { $0 == 0 }), digits.count <= 32
        else { return nil }
        return [UInt8](repeating: 0, count: 32 - digits.count) + digits
    }
}
