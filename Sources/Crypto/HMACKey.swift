internal import COpenSSL

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
