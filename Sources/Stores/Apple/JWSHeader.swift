internal import Encoding

/// The header of Apple's JWS: ES256, its certificates, and nothing that would change what the signature means.
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

    init(_ segment: ArraySlice<UInt8>) throws(VerificationError) {
        guard let json = Base64URL.decode(segment), let header = JSONBody.decode(JWSHeader.self, from: json) else {
            throw .malformed(.invalidJWS)
        }
        guard header.alg == "ES256" else { throw .malformed(.unsupportedAlgorithm) }
        guard !header.changesMeaning else { throw .malformed(.unsupportedHeader) }
        self = header
    }

    /// Leaf and intermediate in DER. The third certificate is ignored: only our own roots are trusted.
    func chain() throws(VerificationError) -> (leaf: [UInt8], intermediate: [UInt8]) {
        guard let x5c, x5c.count == 3, let leaf = Base64.decode(x5c[0]), let intermediate = Base64.decode(x5c[1])
        else { throw .malformed(.invalidCertificates) }
        return (leaf, intermediate)
    }

    /// In DER. Apple always sends three certificates, and Xcode one.
    func onlyCertificate() throws(VerificationError) -> [UInt8] {
        guard let x5c, x5c.count == 1, let certificate = Base64.decode(x5c[0]) else {
            throw .malformed(.invalidCertificates)
        }
        return certificate
    }
}
