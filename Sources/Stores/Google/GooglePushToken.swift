public import Crypto
public import Domain
import Encoding

/// The bearer token of a Pub/Sub push: an OpenID Connect token of the subscription's service account
/// (https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions), split but not verified.
public struct GooglePushToken: Sendable {
    /// How far Google's clock and ours may differ.
    private static let tolerance: Duration = .seconds(300)
    private static let issuers: Set = ["https://accounts.google.com", "accounts.google.com"]
    /// Genuine ones have about 900 bytes.
    private static let limit = 8192

    private let jws: JWS
    /// The id of Google's key that signed it.
    public let keyID: String

    public init(_ authorization: String?) throws(VerificationError) {
        let words = (authorization ?? "").split(separator: " ", maxSplits: 1)
        guard words.count == 2, words[0].lowercased() == "bearer", words[1].utf8.count <= GooglePushToken.limit,
            let jws = try? JWS(String(words[1])), let json = Base64URL.decode(jws.header),
            let header = try? StoreObject(json), header["alg"]?.text == "RS256", header["crit"] == nil,
            header["b64"] == nil, let keyID = header["kid"]?.text, isValidIdentifier(keyID)
        else { throw .untrusted(.unauthorized) }
        self.jws = jws
        self.keyID = keyID
    }

    /// The expected sender and receiver of a push.
    public struct Expectation: Sendable {
        public var audience: String
        /// The service account's email address.
        public var account: String
    }

    public func check(_ expected: Expectation, key: RSAPublicKey?, now: Instant) throws(VerificationError) {
        guard let key, key.isValid(jws.signature, for: jws.signedBytes) else { throw .untrusted(.badSignature) }
        guard let claims = try? StoreObject(try jws.payload()),
            let issuer = claims["iss"]?.text, GooglePushToken.issuers.contains(issuer),
            claims["aud"]?.text == expected.audience, claims["email"]?.text == expected.account,
            claims["email_verified"]?.boolean == true, let issuedAt = claims["iat"]?.integer,
            let expiresAt = claims["exp"]?.integer
        else { throw .untrusted(.unauthorized) }
        let tolerance = GooglePushToken.tolerance.components.seconds
        guard issuedAt <= now.seconds + tolerance else { throw .untrusted(.signedInFuture) }
        guard expiresAt >= now.seconds - tolerance else { throw .untrusted(.signedInPast) }
    }
}
