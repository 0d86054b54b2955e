import Crypto
import Domain
import Encoding
import Synchronization

/// The JSON Web Tokens that authorize us at Apple
/// (https://developer.apple.com/documentation/appstoreserverapi/generating-json-web-tokens-for-api-requests). They are
/// valid for five minutes and cached for four. Any thread may use it.
final class AppleAPITokens: Sendable {
    private static let lifetime = Duration.seconds(300)
    /// The most apps of one team to cache tokens for; one more empties the cache.
    private static let limit = 32

    private struct Token {
        var text: String
        var madeAt: Instant
    }

    private let key: AppleSigningKey
    private let tokens = Mutex<[String: Token]>([:])

    init(key: AppleSigningKey) { self.key = key }

    /// The value of the `Authorization` header. If the clock was set back, it signs a new token, too.
    func bearer(for app: String, now: Instant) throws(CryptoError) -> String {
        let usable = now - (AppleAPITokens.lifetime - .seconds(60))
        let kept = tokens.withLock { $0[app] }
        if let kept, kept.madeAt > usable, kept.madeAt <= now { return "Bearer \(kept.text)" }
        let text = try sign(app, now: now)
        tokens.withLock { tokens in
            if tokens.count >= AppleAPITokens.limit { tokens.removeAll() }
            tokens[app] = Token(text: text, madeAt: now)
        }
        return "Bearer \(text)"
    }

    private func sign(_ app: String, now: Instant) throws(CryptoError) -> String {
        try key.token([
            "aud": "appstoreconnect-v1", "bid": .text(app), "exp": .number((now + AppleAPITokens.lifetime).seconds),
            "iat": .number(now.seconds), "iss": .text(key.issuer),
        ])
    }
}

/// The team's In-App Purchase key. It authorizes calls of Apple's API, and signs offers.
struct AppleSigningKey: Sendable {
    let key: PrivateKey
    let id: String
    let issuer: String

    func token(_ claims: WireJSON) throws(CryptoError) -> String {
        try JWS.token(["alg": "ES256", "kid": .text(id), "typ": "JWT"], claims: claims, sign: key.signature(for:))
    }
}
