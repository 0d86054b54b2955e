internal import Encoding

/// A JSON Web Signature in compact form (RFC 7515 §7.1), split but not verified.
struct JWS {
    /// As large as the largest accepted body.
    static let limit = 256 * 1024
    /// Apple's header has 4.4 KB. It is parsed before the signature is checked, so its limit is lower than the body's.
    static let headerLimit = 16 * 1024

    private let bytes: [UInt8]
    private let headerEnd: Int
    private let payloadEnd: Int
    let signature: [UInt8]

    init(_ text: String) throws(VerificationError) {
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

    var header: ArraySlice<UInt8> { bytes[..<headerEnd] }

    /// Header, dot and payload, as received.
    var signedBytes: ArraySlice<UInt8> { bytes[..<payloadEnd] }

    /// Call it only after the signature has been verified.
    func payload() throws(VerificationError) -> [UInt8] {
        guard let payload = Base64URL.decode(bytes[(headerEnd + 1)..<payloadEnd]) else {
            throw .malformed(.invalidJWS)
        }
        return payload
    }
}

/// The header of Apple's JWS: ES256, three certificates, and nothing that would change what the signature means.
struct JWSHeader: Decodable {
    var alg: String?
    var x5c: [String]?
    var changesMeaning: Bool

    enum CodingKeys: String, CodingKey {
        case alg, x5c, crit, b64
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        alg = try container.decodeIfPresent(String.self, forKey: .alg)
        x5c = try container.decodeIfPresent([String].self, forKey: .x5c)
        changesMeaning = container.contains(.crit) || container.contains(.b64)
    }

    /// Leaf and intermediate in DER. The third certificate is ignored: only our own roots are trusted.
    static func certificates(
        in segment: ArraySlice<UInt8>
    ) throws(VerificationError) -> (leaf: [UInt8], intermediate: [UInt8]) {
        guard let json = Base64URL.decode(segment), let header = JSONBody.decode(JWSHeader.self, from: json) else {
            throw .malformed(.invalidJWS)
        }
        guard header.alg == "ES256" else { throw .malformed(.unsupportedAlgorithm) }
        guard !header.changesMeaning else { throw .malformed(.unsupportedHeader) }
        guard let x5c = header.x5c, x5c.count == 3, let leaf = Base64.decode(x5c[0]),
            let intermediate = Base64.decode(x5c[1])
        else { throw .malformed(.invalidCertificates) }
        return (leaf, intermediate)
    }
}
