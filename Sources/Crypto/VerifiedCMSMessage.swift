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
    public func verify(_ message: [UInt8]) throws(CMSError) -> VerifiedCMSMessage {
        let cms = try CMSMessage(message)
        let chain = try cms.chain(to: anchors)
        guard chain.count == 3, chain[0].isEndEntity, chain[0].hasExtension(AppleChainVerifier.Marker.leaf),
            chain[1].hasExtension(AppleChainVerifier.Marker.intermediate)
        else { throw .wrongShape }
        let start = chain.map(\.validity.lowerBound).max() ?? .max
        let end = chain.map(\.validity.upperBound).min() ?? .min
        guard start <= end else { throw .wrongShape }
        guard cms.isSignatureGood else { throw .badSignature }
        return VerifiedCMSMessage(content: cms.content, validity: start...end)
    }
}

public enum CMSError: Error, Equatable {
    /// Not a CMS message with signed data.
    case unreadable
    /// There is no path to a trusted root.
    case untrusted
    /// There is a path, but it lacks the shape of Apple's: length, markers.
    case wrongShape
    case badSignature
}

/// One message, parsed by OpenSSL: definite or indefinite lengths, content in one piece or several. Confined to one
/// thread.
final class CMSMessage {
    /// Apple sends three. Each further certificate costs a search for its issuer.
    private static let certificateLimit = 16

    private let pointer: OpaquePointer
    let content: [UInt8]

    init(_ bytes: [UInt8]) throws(CMSError) {
        let pointer = bytes.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var cursor = buffer.baseAddress
            let pointer = d2i_CMS_ContentInfo(nil, &cursor, buffer.count)
            guard pointer == nil || cursor == buffer.baseAddress.map({ $0 + buffer.count }) else {
                CMS_ContentInfo_free(pointer)
                return nil
            }
            return pointer
        }
        guard let pointer, let content = CMSMessage.content(of: pointer) else {
            CMS_ContentInfo_free(pointer)
            ERR_clear_error()
            throw .unreadable
        }
        self.pointer = pointer
        self.content = content
    }

    deinit {
        CMS_ContentInfo_free(pointer)
        ERR_clear_error()
    }

    private static func content(of pointer: OpaquePointer) -> [UInt8]? {
        guard OBJ_obj2nid(CMS_get0_type(pointer)) == NID_pkcs7_signed,
            OBJ_obj2nid(CMS_get0_eContentType(pointer)) == NID_pkcs7_data,
            let octets = CMS_get0_content(pointer)?.pointee, let start = ASN1_STRING_get0_data(octets)
        else { return nil }
        return Array(UnsafeBufferPointer(start: start, count: Int(ASN1_STRING_length(octets))))
    }

    /// The path from the only signer, through the message's certificates, to a trusted root (RFC 5280 §6).
    ///
    /// It ignores the clock and accepts SHA-1, because the chains of old receipts use it. A forger would need a
    /// collision with a certificate that Apple signs.
    func chain(to anchors: TrustAnchors) throws(CMSError) -> [Certificate] {
        let certificates = OwnedCertificates(CMS_get1_certs(pointer))
        // A message without signers would verify: https://docs.openssl.org/3.0/man3/CMS_verify/ checks those it finds.
        guard certificates.count <= CMSMessage.certificateLimit, OPENSSL_sk_num(CMS_get0_SignerInfos(pointer)) == 1,
            CMS_set1_signers_certs(pointer, nil, 0) == 1, let signers = CMS_get0_signers(pointer)
        else { throw .unreadable }
        defer { OPENSSL_sk_free(signers) }
        guard OPENSSL_sk_num(signers) == 1, let signer = OPENSSL_sk_value(signers, 0), let store = anchors.store,
            let context = X509_STORE_CTX_new()
        else { throw .unreadable }
        defer { X509_STORE_CTX_free(context) }
        return try store.borrow { (store: OpaquePointer) throws(CMSError) in
            guard X509_STORE_CTX_init(context, store, OpaquePointer(signer), certificates.stack) == 1 else {
                throw .untrusted
            }
            return try CMSMessage.path(context)
        }
    }

    private static func path(_ context: OpaquePointer) throws(CMSError) -> [Certificate] {
        let parameters = X509_STORE_CTX_get0_param(context)
        X509_VERIFY_PARAM_set_flags(parameters, UInt(X509_V_FLAG_NO_CHECK_TIME))
        X509_VERIFY_PARAM_set_auth_level(parameters, 0)
        X509_VERIFY_PARAM_set_depth(parameters, 3)
        guard X509_verify_cert(context) == 1 else { throw .untrusted }
        let chain = X509_STORE_CTX_get0_chain(context)
        return (0..<max(0, OPENSSL_sk_num(chain))).compactMap { index in
            OPENSSL_sk_value(chain, index).flatMap { Certificate(sharing: OpaquePointer($0)) }
        }
    }

    /// Read it only after `chain(to:)` has succeeded, so that a stranger's key costs no CPU time.
    var isSignatureGood: Bool {
        let flags = UInt32(CMS_BINARY | CMS_NO_SIGNER_CERT_VERIFY)
        return CMS_verify(pointer, nil, nil, nil, nil, flags) == 1
    }
}

/// A stack of certificates as OpenSSL returns it; it owns a reference to each one.
private final class OwnedCertificates {
    let stack: OpaquePointer?

    init(_ stack: OpaquePointer?) { self.stack = stack }

    /// 0 when there is no stack.
    var count: Int { max(0, Int(OPENSSL_sk_num(stack))) }

    deinit {
        while let certificate = OPENSSL_sk_pop(stack) { X509_free(OpaquePointer(certificate)) }
        OPENSSL_sk_free(stack)
    }
}
