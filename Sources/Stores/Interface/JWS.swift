internal import Encoding

/// A JSON Web Signature in compact form (RFC 7515 §7.1), split but not believed.
public struct JWS: Sendable {
    /// As much as the largest body that is let in.
    static let limit = 256 * 1024
    /// Apple's has 4.4 KB. It is read before anybody vouches for it, so it gets less room than the rest.
    static let headerLimit = 16 * 1024

    private let bytes: [UInt8]
    private let headerEnd: Int
    private let payloadEnd: Int
    public let signature: [UInt8]

    public init(_ text: String) throws(VerificationError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= JWS.limit else { throw .malformed(.invalidJWS) }
        let dot = UInt8(ascii: ".")
        guard let first = bytes.firstIndex(of: dot), let second = bytes[(first + 1)...].firstIndex(of: dot),
            !bytes[(second + 1)...].contains(dot), (1...JWS.headerLimit).contains(first), second > first + 1,
            let signature = Base64URL.decode(bytes[(second + 1)...])
        else { throw .malformed(.invalidJWS) }
        self.bytes = bytes
        self.signature = signature
        headerEnd = first
        payloadEnd = second
    }

    public var header: ArraySlice<UInt8> { bytes[..<headerEnd] }

    /// Header, dot and payload, as they were sent.
    public var signedBytes: ArraySlice<UInt8> { bytes[..<payloadEnd] }

    /// Decode it only once the signature is known to be good.
    public func payload() throws(VerificationError) -> [UInt8] {
        guard let payload = Base64URL.decode(bytes[(headerEnd + 1)..<payloadEnd]) else {
            throw .malformed(.invalidJWS)
        }
        return payload
    }
}
