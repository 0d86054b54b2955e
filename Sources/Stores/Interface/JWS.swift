import Crypto
import Encoding

/// A JSON Web Signature in compact form (RFC 7515 §7.1), split but not verified.
public struct JWS: Sendable {
    /// As large as the largest accepted body.
    static let limit = 256 * 1024
    /// Apple's header has 4.4 KB. It is parsed before the signature is checked, so its limit is lower than the body's.
    static let headerLimit = 16 * 1024

    private let bytes: [UInt8]
    private let headerEnd: Int
    private let payloadEnd: Int
    public let signature: [UInt8]

    public init(_ text: String) throws(VerificationError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= JWS.limit else { throw .malformed(.invalidJWS) }
        let dot = UInt8(ascii: ".")
        let first = offset(of: dot, in: bytes.span)
        let second = offset(of: dot, in: bytes.span, from: min(first + 1, bytes.count))
        // The signature follows the second dot; a third dot is no character of it.
        guard second < bytes.count, (1...JWS.headerLimit).contains(first), second > first + 1,
            let signature = Base64URL.decode(bytes[(second + 1)...])
        else { throw .malformed(.invalidJWS) }
        self.bytes = bytes
        self.signature = signature
        headerEnd = first
        payloadEnd = second
    }

    public var header: ArraySlice<UInt8> { bytes[..<headerEnd] }

    /// Header, dot and payload, as received.
    public var signedBytes: ArraySlice<UInt8> { bytes[..<payloadEnd] }

    /// Call it only after the signature has been verified.
    public func payload() throws(VerificationError) -> [UInt8] {
        guard let payload = Base64URL.decode(bytes[(headerEnd + 1)..<payloadEnd]) else { throw .malformed(.invalidJWS) }
        return payload
    }
}

extension JWS {
    /// A JSON Web Token (RFC 7519) in compact form. `sign` gets what the signature covers.
    static func token(
        _ header: WireJSON,
        claims: WireJSON,
        sign: ([UInt8]) throws(CryptoError) -> [UInt8]
    ) throws(CryptoError) -> String {
        let signed = Base64URL.encode(header.bytes) + "." + Base64URL.encode(claims.bytes)
        return signed + "." + Base64URL.encode(try sign(Array(signed.utf8)))
    }
}
