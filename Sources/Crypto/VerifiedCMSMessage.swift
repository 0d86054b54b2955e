import COpenSSL
public import Domain

/// The content of a verified message, and when its signer was valid.
public struct VerifiedCMSMessage: Sendable {
    public let content: [UInt8]
    /// The overlap of the validity of leaf, intermediate and root; whole seconds, including both ends.
    let validity: ClosedRange<Int64>

    public func isValid(at instant: Instant) -> Bool { validity.contains(instant.seconds) }

    /// The content that an unverified message claims. Use it to ask Apple a question, never as an answer.
    public static func unprovenContent(of message: [UInt8]) -> [UInt8]? {
        try? CMSMessage(message).content
    }
}

/// Verifies CMS messages (RFC 5652) such as App Store receipts: one signer, with a chain of Apple's shape.
///
/// Any thread may verify. It caches nothing, because receipts are rare.
public struct CMSVerifier: Sendable {
    private let anchors: TrustAnchors

    public init(roots: TrustedRoots) { anchors = TrustAnchors(roots) }

    /// Ignores the clock, as for a JWS: the message itself contains the instant at which the chain must be valid.
    public func verify(_ message: [UInt8]) throws(ChainError) -> VerifiedCMSMessage {
        let cms = try CMSMessage(message)
        defer { ERR_clear_error() }
        guard let validity = try cms.chain(to: anchors).validityInApplesShape else { throw .wrongShape }
        guard cms.isSignatureGood else { throw .badSignature }
        return VerifiedCMSMessage(content: cms.content, validity: validity)
    }
}

/// One message, parsed by OpenSSL: definite or indefinite lengths, content in one piece or several. Confined to one
/// thread.
struct CMSMessage {
    /// Apple sends three. Each further certificate costs a search for its issuer.
    private static let certificateLimit = 16

    private let handle: OpenSSLHandle
    let content: [UInt8]

    init(_ bytes: [UInt8]) throws(ChainError) {
        guard
            let handle = OpenSSLHandle(
                der: bytes,
                free: CMS_ContentInfo_free,
                read: { d2i_CMS_ContentInfo(nil, &$0, $1) }
            ),
            let content = handle.borrow({ CMSMessage.content(of: $0) })
        else {
            ERR_clear_error()
            throw .unreadable
        }
        self.handle = handle
        self.content = content
    }

    private static func content(of pointer: OpaquePointer) -> [UInt8]? {
        guard OBJ_obj2nid(CMS_get0_type(pointer)) == NID_pkcs7_signed,
            OBJ_obj2nid(CMS_get0_eContentType(pointer)) == NID_pkcs7_data,
            let octets = CMS_get0_content(pointer)?.pointee, let start = ASN1_STRING_get0_data(octets)
        else { return nil }
        return Array(UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(octets))))
    }

    /// The path from the only signer, through the message's certificates, to a trusted root.
    ///
    /// It accepts SHA-1, because the chains of old receipts use it. A forger would need a collision with a certificate that
    /// Apple signs.
    func chain(to anchors: TrustAnchors) throws(ChainError) -> [Certificate] {
        try handle.borrow { (message: OpaquePointer) throws(ChainError) in
            let certificates = CMS_get1_certs(message)
            defer { OPENSSL_sk_pop_free(certificates) { X509_free(OpaquePointer($0)) } }
            // A message without signers would verify: https://docs.openssl.org/3.0/man3/CMS_verify/ checks those it finds.
            guard OPENSSL_sk_num(certificates) <= CMSMessage.certificateLimit,
                OPENSSL_sk_num(CMS_get0_SignerInfos(message)) == 1, CMS_set1_signers_certs(message, nil, 0) == 1,
                let signers = CMS_get0_signers(message)
            else { throw .unreadable }
            defer { OPENSSL_sk_free(signers) }
            guard OPENSSL_sk_num(signers) == 1, let signer = OPENSSL_sk_value(signers, 0) else { throw .unreadable }
            guard let path = anchors.path(from: OpaquePointer(signer), through: certificates, level: 0) else {
                throw .untrusted
            }
            return path
        }
    }

    /// Read it only after `chain(to:)` has succeeded, so that a stranger's key costs no CPU time.
    var isSignatureGood: Bool {
        let flags = UInt32(CMS_BINARY | CMS_NO_SIGNER_CERT_VERIFY)
        return handle.borrow { CMS_verify($0, nil, nil, nil, nil, flags) == 1 }
    }
}
