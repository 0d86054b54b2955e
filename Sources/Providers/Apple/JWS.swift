internal import Encoding

/// A JSON Web Signature in compact form (RFC 7515 §7.1), split but not believed.
struct JWS {
    /// As much as the largest body that is let in.
    static let limit = 256 * 1024
    /// Apple's has 4.4 KB. It is read before anybody vouches for it, so it gets less room than the rest.
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

    /// Header, dot and payload, as they were sent.
    var signedBytes: ArraySlice<UInt8> { bytes[..<payloadEnd] }

    /// Decode it only once the signature is known to be good.
    func payload() throws(VerificationError) -> [UInt8] {
        guard let payload = Base64URL.decode(bytes[(headerEnd + 1)..<payloadEnd]) else {
            throw .malformed(.invalidJWS)
        }
        return payload
    }
}

/// The header of Apple's JWS: ES256 and three certificates, and nothing that would change what the signature means.
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

    /// DER of leaf and intermediate. The third certificate is never opened: trust comes from our own roots alone.
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
