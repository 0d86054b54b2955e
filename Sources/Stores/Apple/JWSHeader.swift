internal import Encoding

/// The header of Apple's JWS: ES256, its certificates, and nothing that would change what the signature means.
struct JWSHeader {
    let x5c: [String]?

    init(_ segment: ArraySlice<UInt8>) throws(VerificationError) {
        guard let json = Base64URL.decode(segment), let header = StoreObject(JSONNode(json)) else {
            throw .malformed(.invalidJWS)
        }
        let algorithm: String?
        do throws(VerificationError) {
            algorithm = try header.string("alg")
            x5c = try header.strings("x5c")
        } catch {
            throw .malformed(.invalidJWS)
        }
        guard algorithm == "ES256" else { throw .malformed(.unsupportedAlgorithm) }
        guard header["crit"] == nil, header["b64"] == nil else { throw .malformed(.unsupportedHeader) }
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
