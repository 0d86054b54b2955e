internal import COpenSSL
public import Domain

/// The content of a verified message, and when its signer was valid.
public struct VerifiedCMSMessage: Sendable {
    public let content: [UInt8]
    /// The overlap of the validity of leaf, intermediate and root; whole seconds, including both ends.
    private let validity: ClosedRange<Int64>

    init(content: [UInt8], validity: ClosedRange<Int64>) {
        self.content = content
        self.validity = validity
    }

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

    public init(roots: TrustedRoots) {
        anchors = TrustAnchors(roots)
    }

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
