import COpenSSL
import Glibc

/// The hash functions that Rails' and the stores' formats use. Use SHA-1 only where a format requires it.
public struct HashFunction: Sendable {
    public static let sha256 = HashFunction("SHA256", size: 32)
    public static let sha1 = HashFunction("SHA1", size: 20)

    let size: Int
    /// Fetched once: OpenSSL 3 looks up what `EVP_sha256()` means at each use, which costs as much as hashing 64 bytes
    /// (crypto(7), "Explicit fetching").
    private let method: OpenSSLHandle?

    private init(_ name: String, size: Int) {
        method = OpenSSLHandle(EVP_MD_fetch(nil, name, nil), free: EVP_MD_free)
        self.size = size
    }

    /// Stays valid, because the handles above are never released.
    var evp: OpaquePointer? { method?.borrow { $0 } }

    public func hash(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: size)
        EVP_Digest(bytes, bytes.count, &digest, nil, evp, nil)
        return digest
    }
}

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    public static func hash(_ bytes: [UInt8]) -> [UInt8] { HashFunction.sha256.hash(bytes) }

    /// Hashes data that is too large to hold at once: calls `next` for pieces until it returns nil.
    public static func hash(_ next: () -> [UInt8]?) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        EVP_DigestInit_ex(context, HashFunction.sha256.evp, nil)
        while let piece = next() { EVP_DigestUpdate(context, piece, piece.count) }
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_DigestFinal_ex(context, &digest, nil)
        return digest
    }
}

/// HMAC-SHA-256 (RFC 2104) of a single message.
public enum HMAC {
    public static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        HMACKey(key).authenticate(message[...])
    }
}

/// Derives keys from secrets (RFC 8018 §5.2).
public enum PBKDF2 {
    public static func derive(
        from secret: String,
        salt: String,
        iterations: Int,
        count: Int,
        with hash: HashFunction
    ) -> [UInt8] {
        let secret = secret.utf8.map { CChar(bitPattern: $0) }
        let salt = Array(salt.utf8)
        var key = [UInt8](repeating: 0, count: count)
        PKCS5_PBKDF2_HMAC(
            secret,
            Int32(clamping: secret.count),
            salt,
            Int32(clamping: salt.count),
            Int32(clamping: iterations),
            hash.evp,
            Int32(clamping: count),
            &key
        )
        return key
    }
}

/// Makes each guess at a secret expensive: 16 MB, and tens of milliseconds (RFC 7914, with N = 16384, r = 8, p = 1).
public enum Scrypt {
    /// Empty if there is no memory for it.
    public static func derive(from secret: String, salt: String, count: Int) -> [UInt8] {
        let secret = secret.utf8.map { CChar(bitPattern: $0) }
        let salt = Array(salt.utf8)
        var key = [UInt8](repeating: 0, count: count)
        let isDone = EVP_PBE_scrypt(secret, secret.count, salt, salt.count, 16_384, 8, 1, 0, &key, count) == 1
        return isDone ? key : []
    }
}

/// Takes the same time wherever the first difference is. Lengths are not secret.
public func constantTimeCompare(_ left: [UInt8], with right: [UInt8]) -> Bool {
    constantTimeCompare(left, with: right[...])
}

public func constantTimeCompare(_ left: [UInt8], with right: ArraySlice<UInt8>) -> Bool {
    right.withUnsafeBytes { left.count == $0.count && CRYPTO_memcmp(left, $0.baseAddress, left.count) == 0 }
}

/// Bytes for keys and serial numbers, from the kernel's generator.
public func randomBytes(_ count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    arc4random_buf(&bytes, count)
    return bytes
}

/// A key that authenticates many messages (HMAC-SHA-256, RFC 2104). It computes once what depends on the key alone
/// (§4 there), which leaves a third of the time.
///
/// `@unchecked Sendable`: nothing writes to the two contexts after the initializer, and copying from them only reads.
public final class HMACKey: @unchecked Sendable {
    /// SHA-256 after its first block: the key combined with one of the two pads.
    private let inner: OpaquePointer?
    private let outer: OpaquePointer?

    private static let blockSize = 64

    public init(_ key: [UInt8]) {
        var block = key.count > HMACKey.blockSize ? SHA256.hash(key) : key
        block += [UInt8](repeating: 0, count: HMACKey.blockSize - block.count)
        inner = HMACKey.context(after: block.map { $0 ^ 0x36 })
        outer = HMACKey.context(after: block.map { $0 ^ 0x5C })
    }

    deinit {
        EVP_MD_CTX_free(inner)
        EVP_MD_CTX_free(outer)
    }

    /// Returns 32 bytes.
    public func authenticate(_ message: ArraySlice<UInt8>) -> [UInt8] {
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        var code = [UInt8](repeating: 0, count: 32)
        EVP_MD_CTX_copy_ex(context, inner)
        message.withUnsafeBytes { _ = EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
        EVP_DigestFinal_ex(context, &code, nil)
        EVP_MD_CTX_copy_ex(context, outer)
        EVP_DigestUpdate(context, code, code.count)
        EVP_DigestFinal_ex(context, &code, nil)
        return code
    }

    private static func context(after block: [UInt8]) -> OpaquePointer? {
        let context = EVP_MD_CTX_new()
        EVP_DigestInit_ex(context, HashFunction.sha256.evp, nil)
        EVP_DigestUpdate(context, block, block.count)
        return context
    }
}
