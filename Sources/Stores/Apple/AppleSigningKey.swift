internal import Crypto
internal import Encoding

/// The team's In-App Purchase key. It authorizes calls of Apple's API, and signs offers.
struct AppleSigningKey: Sendable {
    let key: PrivateKey
    let id: String
    let issuer: String

    /// A JSON Web Token: a JWS in its compact form, by ES256.
    func token(_ claims: some Encodable) throws(CryptoError) -> String {
        let head = AppleJSON.encode(AppleTokenHeader(kid: id))
        let signed = Base64URL.encode(head) + "." + Base64URL.encode(AppleJSON.encode(claims))
        return signed + "." + Base64URL.encode(try key.signature(for: Array(signed.utf8)))
    }
}

private struct AppleTokenHeader: Encodable {
    var alg = "ES256"
    var kid: String
    var typ = "JWT"
}
