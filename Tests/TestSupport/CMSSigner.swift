import COpenSSL
public import Crypto

/// Signs messages in CMS, the format of App Store receipts. Nobody trusts them unless the signer's root is configured.
public struct CMSSigner: Sendable {
    /// The ways in which a message may be signed.
    public struct Form: OptionSet, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        /// The signature covers the content itself.
        public static let withoutAttributes = Form(rawValue: 1)
        /// The message names the signer by key, not by issuer.
        public static let namesKey = Form(rawValue: 2)
        public static let sha1 = Form(rawValue: 4)
        public static let withoutCertificates = Form(rawValue: 8)
        public static let detached = Form(rawValue: 16)
        /// BER with indefinite lengths and the content in pieces, as Xcode writes it.
        public static let indefinite = Form(rawValue: 32)

        fileprivate var flags: UInt32 {
            let pairs = [
                (Form.withoutAttributes, CMS_NOATTR), (.namesKey, CMS_USE_KEYID), (.withoutCertificates, CMS_NOCERTS),
                (.detached, CMS_DETACHED), (.indefinite, CMS_STREAM),
            ]
            return UInt32(pairs.filter { contains($0.0) }.reduce(CMS_BINARY | CMS_PARTIAL) { $0 | $1.1 })
        }
    }

    private let chain: [[UInt8]]
    private let key: PrivateKey

    /// `chain` is leaf, intermediate and root in DER; `key` is the leaf's.
    public init(chain: [[UInt8]], key: PrivateKey) {
        self.chain = chain
        self.key = key
    }

    public func sign(
        _ content: [UInt8],
        form: Form = [],
        beside others: [CMSSigner] = []
    ) throws(CryptoError) -> [UInt8] {
        let bytes: [UInt8]? = content.withUnsafeBytes { content in
            let input = BIO_new_mem_buf(content.baseAddress, Int32(clamping: content.count))
            let message = CMS_sign(nil, nil, nil, input, form.flags)
            defer {
                CMS_ContentInfo_free(message)
                BIO_free(input)
            }
            let isReady = ([self] + others).allSatisfy { $0.join(message, form: form) }
            guard isReady else { return nil }
            return encoded(message, input: input, flags: form.flags)
        }
        guard let bytes else {
            ERR_clear_error()
            throw .failed(.sign)
        }
        return bytes
    }

    private func join(_ message: OpaquePointer?, form: Form) -> Bool {
        let certificates = chain.map { der in
            der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
                var cursor = buffer.baseAddress
                return d2i_X509(nil, &cursor, buffer.count)
            }
        }
        let secret = openedKey
        defer {
            for certificate in certificates { X509_free(certificate) }
            EVP_PKEY_free(secret)
        }
        guard let leaf = certificates.first, let secret, certificates.allSatisfy({ $0 != nil }) else { return false }
        let digest = form.contains(.sha1) ? EVP_sha1() : EVP_sha256()
        let isSigned = CMS_add1_signer(message, leaf, secret, digest, form.flags) != nil
        guard isSigned, !form.contains(.withoutCertificates) else { return isSigned }
        return certificates.dropFirst().allSatisfy { CMS_add1_cert(message, $0) == 1 }
    }

    private var openedKey: OpaquePointer? {
        guard let pem = try? key.pem(), let der = PEM.blocks("PRIVATE KEY", in: pem)?.first else { return nil }
        return der.withUnsafeBufferPointer { buffer in
            var cursor = buffer.baseAddress
            return d2i_AutoPrivateKey(nil, &cursor, buffer.count)
        }
    }

    private func encoded(_ message: OpaquePointer?, input: OpaquePointer?, flags: UInt32) -> [UInt8]? {
        let output = BIO_new(BIO_s_mem())
        defer { BIO_free(output) }
        let isWritten =
            flags & UInt32(CMS_STREAM) != 0
            ? i2d_CMS_bio_stream(output, message, input, Int32(flags)) == 1
            : CMS_final(message, input, nil, flags) == 1 && i2d_CMS_bio(output, message) == 1
        guard isWritten else { return nil }
        var bytes = [UInt8](repeating: 0, count: Int(BIO_ctrl_pending(output)))
        let count = BIO_read(output, &bytes, Int32(clamping: bytes.count))
        return count == bytes.count ? bytes : nil
    }
}
