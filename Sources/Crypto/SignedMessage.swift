internal import COpenSSL
public import Domain

/// What a proven message carries, and when its signer was to be believed.
public struct SignedMessage: Sendable {
    public let content: [UInt8]
    /// Where the windows of leaf, intermediate and root overlap; whole seconds, both ends included.
    private let validity: ClosedRange<Int64>

    init(content: [UInt8], validity: ClosedRange<Int64>) {
        self.content = content
        self.validity = validity
    }

    public func isValid(at instant: Instant) -> Bool { validity.contains(instant.seconds) }

    /// What a message claims to carry. Nobody vouches for it: good for a question to Apple, never for an answer.
    public static func unprovenContent(of message: [UInt8]) -> [UInt8]? {
        try? CMSMessage(message).content
    }
}

/// Proves messages in CMS (RFC 5652), as App Store receipts are: signed once, by a chain of Apple's shape.
///
/// Any thread may verify. Nothing is remembered: receipts are rare.
public struct MessageVerifier: Sendable {
    private let anchors: TrustAnchors

    public init(roots: TrustedRoots) {
        anchors = TrustAnchors(roots)
    }

    /// The chain is judged without the clock, as for a JWS: the instant at which it must hold is inside the message.
    public func verify(_ message: [UInt8]) throws(MessageError) -> SignedMessage {
        let cms = try CMSMessage(message)
        let chain = try cms.chain(to: anchors)
        guard chain.count == 3, chain[0].isEndEntity, chain[0].hasExtension(TrustAnchors.Marker.leaf),
            chain[1].hasExtension(TrustAnchors.Marker.intermediate)
        else { throw .wrongShape }
        let start = chain.map(\.validity.lowerBound).max() ?? .max
        let end = chain.map(\.validity.upperBound).min() ?? .min
        guard start <= end else { throw .wrongShape }
        guard cms.isSignatureGood else { throw .badSignature }
        return SignedMessage(content: cms.content, validity: start...end)
    }
}

public enum MessageError: Error, Equatable, CustomStringConvertible {
    /// No CMS message that carries signed data.
    case unreadable
    /// No path to a trusted root; the reason in OpenSSL's words.
    case untrusted(String)
    /// A path, but not of Apple's shape: length, markers.
    case wrongShape
    case badSignature

    public var description: String {
        switch self {
        case .unreadable: "the message is no CMS SignedData with content and one signer"
        case .untrusted(let reason): "no path to a trusted root: \(reason)"
        case .wrongShape: "the signer's certificates do not have the shape of Apple's chain"
        case .badSignature: "the signature does not belong to the content"
        }
    }
}
