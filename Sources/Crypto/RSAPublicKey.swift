internal import COpenSSL

/// An RSA key that verifies RS256 signatures (RFC 7518 §3.3). Several threads may use it at the same time.
public struct RSAPublicKey: Sendable {
    /// RFC 7518 requires 2048 bits; beyond 8192 a check costs milliseconds.
    private static let sizes = Int32(2048)...Int32(8192)

    private let key: OpenSSLHandle

    /// From a JSON Web Key's `n` and `e` (RFC 7518 §6.3.1), decoded. Returns nil for a weak key and for
    /// anything that is not a key.
    public init?(modulus: [UInt8], exponent: [UInt8]) {
        // 65537 in practice; 8 bytes are more than any store has ever used. With 1, every signature is its own message.
        let digits = exponent.drop { $0 == 0 }
        guard modulus.count <= 1024, exponent.count <= 8, let last = digits.last, last & 1 == 1,
            digits.count > 1 || last > 1
        else { return nil }
        let der = sequence(integer(modulus) + integer(exponent))
        let pointer = der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return d2i_PublicKey(EVP_PKEY_RSA, nil, &cursor, buffer.count)
        }
        guard let key = OpenSSLHandle(pointer, free: EVP_PKEY_free) else {
            ERR_clear_error()
            return nil
        }
        guard key.borrow({ RSAPublicKey.sizes.contains(EVP_PKEY_get_bits($0)) }) else { return nil }
        self.key = key
    }

    /// Returns false unless `signature` is a PKCS#1 signature with SHA-256 of exactly `message`.
    public func isValid(_ signature: [UInt8], for message: ArraySlice<UInt8>) -> Bool {
        key.isValid(signature, for: message)
    }
}

/// PKCS#1's RSAPublicKey in DER (RFC 8017 §A.1.1): a sequence of two integers.
private func sequence(_ content: [UInt8]) -> [UInt8] { [0x30] + length(content.count) + content }

/// Without leading zeros, except for one that keeps the number positive.
private func integer(_ magnitude: [UInt8]) -> [UInt8] {
    let digits = magnitude.drop { $0 == 0 }
    let content = (digits.first ?? 0x80) >= 0x80 ? [0] + digits : Array(digits)
    return [0x02] + length(content.count) + content
}

private func length(_ count: Int) -> [UInt8] {
    switch count {
    case ..<0x80: [UInt8(count)]
    case ..<0x100: [0x81, UInt8(count)]
    default: [0x82, UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
    }
}
