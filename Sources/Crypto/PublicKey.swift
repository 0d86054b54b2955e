internal import COpenSSL

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
        guard let der = ECDSASignature.der(raw: signature), let context = EVP_MD_CTX_new() else { return false }
        defer { EVP_MD_CTX_free(context) }
        let isValid = key.borrow { key in
            EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
                && message.withUnsafeBufferPointer {
                    EVP_DigestVerify(context, der, der.count, $0.baseAddress, $0.count) == 1
                }
        }
        if !isValid { ERR_clear_error() }
        return isValid
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
