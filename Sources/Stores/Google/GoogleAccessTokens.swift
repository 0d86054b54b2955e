import Crypto
import Domain
import Encoding
import HTTPClient
import Support
import Synchronization

/// Access tokens of the service account (https://developers.google.com/identity/protocols/oauth2/service-account), each
/// cached until five minutes before it expires. Callers that arrive during a request for a token wait for it: one
/// request serves all of them, and so does one failure.
final class GoogleAccessTokens: Sendable {
    private static let scope = "https://www.googleapis.com/auth/androidpublisher"
    private static let margin = Duration.seconds(300)

    private typealias Token = (bearer: String, usableUntil: Instant)

    private struct State {
        var token: Token?
        var failure = SharedFailure()
    }

    private let credentials: @Sendable () -> GoogleCredentials?
    private let client: HTTPClient
    private let state = Mutex(State())

    init(_ credentials: @escaping @Sendable () -> GoogleCredentials?, client: HTTPClient) {
        self.credentials = credentials
        self.client = client
    }

    /// The value of the `Authorization` header.
    func bearer(now: Instant) throws(StoreAPIError) -> String {
        let came = monotonicNanoseconds()
        return try state.withLock { state throws(StoreAPIError) in
            if let token = state.token, now < token.usableUntil { return token.bearer }
            let granted = try state.failure.share(since: came) { () throws(StoreAPIError) in try grant(now) }
            state.token = granted
            return granted.bearer
        }
    }

    /// Google did not accept this token, so the next call requests another. A newer token that another caller has
    /// received since then stays.
    func forget(_ bearer: String) {
        state.withLock { state in
            if state.token?.bearer == bearer { state.token = nil }
        }
    }

    private func grant(_ now: Instant) throws(StoreAPIError) -> Token {
        guard let credentials = credentials() else { throw .unavailable(reason: "its address is not known yet") }
        guard let assertion = try? assertion(credentials, now: now) else {
            throw .unauthorized(
                reason: "PAYCAST_GOOGLE_CREDENTIALS holds a key that cannot sign; create a new one in Google Cloud"
            )
        }
        let response = try client.ask(
            "POST",
            at: credentials.tokenAddress,
            headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: Array("grant_type=\(GoogleAccessTokens.grantType)&assertion=\(assertion)".utf8)
        )
        switch response.status {
        case 200: break
        case 400, 401, 403:
            throw .unauthorized(reason: "Google grants this service account no token; check PAYCAST_GOOGLE_CREDENTIALS")
        default: throw .unavailable(reason: "the token's address answered \(response.status)")
        }
        guard let answer = try? StoreObject(response.body), let token = answer["access_token"]?.text,
            token.utf8.allSatisfy({ (33...126).contains($0) })
        else { throw .unreadable(reason: "it is not an access token") }
        let lifetime = Duration.seconds(min(max(answer.integer("expires_in") ?? 3600, 0), 86_400))
        let usable = lifetime > GoogleAccessTokens.margin * 2 ? lifetime - GoogleAccessTokens.margin : lifetime / 2
        return ("Bearer \(token)", usableUntil: now + usable)
    }

    private static let grantType = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"

    private func assertion(_ credentials: GoogleCredentials, now: Instant) throws(CryptoError) -> String {
        let header: WireJSON = ["alg": "RS256", "typ": "JWT", "kid": credentials.keyID.map { .text($0) }]
        let claims: WireJSON = [
            "iss": .text(credentials.account), "scope": .text(GoogleAccessTokens.scope),
            "aud": .text(credentials.tokenAddress), "iat": .number(now.seconds), "exp": .number(now.seconds + 3600),
        ]
        return try JWS.token(header, claims: claims, sign: credentials.key.signature(for:))
    }
}

/// A service account's key file, as Google's console provides it.
public struct GoogleCredentials: Sendable {
    let account: String
    let keyID: String?
    let key: RSAPrivateKey
    /// The URL that grants access tokens.
    let tokenAddress: String
}

extension GoogleCredentials {
    /// Returns nil when `json` is not a service account's key file.
    public init?(json: String) {
        guard let file = JSONNode(json), file["type"]?.text == "service_account",
            let account = file["client_email"]?.text, let pem = file["private_key"]?.text,
            let key = try? RSAPrivateKey(pem: pem)
        else { return nil }
        let address = file["token_uri"]?.text ?? "https://oauth2.googleapis.com/token"
        self.init(account: account, keyID: file["private_key_id"]?.text, key: key, tokenAddress: address)
    }
}
