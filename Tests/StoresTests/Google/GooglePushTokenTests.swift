import Crypto
import Domain
import Encoding
import GoogleStore
import Simulator
import StoreInterface
import Testing

/// The bearer of a push, genuine in every way but one.
@Suite(.timeLimit(.minutes(10))) struct GooglePushTokenTests {
    private static let now = GoogleStory.start
    private static let expected = GooglePushToken.Expectation(
        audience: SimulatedGooglePlay.audience,
        account: SimulatedGooglePlay.pushAccount
    )

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var code: String?
        var claims: [(name: String, json: String?)] = []
        var header = #"{"alg":"RS256","kid":"development","typ":"JWT"}"#
        var bend: @Sendable (String) -> String = { "Bearer \($0)" }

        static func claim(_ name: String, _ claim: String, _ json: String?, _ code: String? = "unauthorized") -> Case {
            Case(testDescription: name, code: code, claims: [(claim, json)])
        }

        static func header(_ name: String, _ header: String, _ code: String? = "unauthorized") -> Case {
            Case(testDescription: name, code: code, header: header)
        }

        static func text(
            _ name: String,
            _ code: String? = "unauthorized",
            _ bend: @escaping @Sendable (String) -> String
        ) -> Case {
            Case(testDescription: name, code: code, bend: bend)
        }

        static func times(_ name: String, _ issued: Int64, _ ends: Int64, _ code: String?) -> Case {
            let second = GooglePushTokenTests.now.seconds
            let claims: [(name: String, json: String?)] = [("iat", "\(second + issued)"), ("exp", "\(second + ends)")]
            return Case(testDescription: name, code: code, claims: claims)
        }
    }

    static let cases: [Case] = [
        .text("as Google sends it", nil) { "Bearer \($0)" },
        .text("lower-case scheme", nil) { "bearer \($0)" },
        .claim("the issuer's other spelling", "iss", #""accounts.google.com""#, nil),
        .times("five minutes ahead", 300, 3900, nil),
        .times("five minutes after its end", -3900, -300, nil),
        .times("from the future", 301, 3900, "signed_in_future"),
        .times("expired", -3901, -301, "signed_in_past"),
        .times("before 1970", -9_000_000_000_000, -9_000_000_000_000, "signed_in_past"),
        .claim("for somebody else", "aud", #""https://other.example""#),
        .claim("for several", "aud", #"["https://paycast.example/webhooks/google"]"#),
        .claim("for nobody", "aud", nil),
        .claim("another issuer", "iss", #""https://accounts.google.com.evil.example""#),
        .claim("no issuer", "iss", nil),
        .claim("another account", "email", #""evil@paycast-development.iam.gserviceaccount.com""#),
        .claim("no account", "email", nil),
        .claim("an unverified account", "email_verified", "false"),
        .claim("a verified account in text", "email_verified", #""true""#),
        .claim("no verification", "email_verified", nil),
        .claim("no end", "exp", nil),
        .claim("an end in text", "exp", #""9999999999""#),
        .claim("an end beyond 2^63", "exp", "9223372036854775808"),
        .claim("an end at the last number", "exp", "9223372036854775807", nil),
        .claim("the first number as its beginning", "iat", "-9223372036854775808", nil),
        .claim("a claim twice", "aud\":\"x\",\"aud", #""https://paycast.example/webhooks/google""#),
        .header("no algorithm", #"{"alg":"none","kid":"development"}"#),
        .header("another algorithm", #"{"alg":"HS256","kid":"development"}"#),
        .header("an algorithm for RSA that is not ours", #"{"alg":"PS256","kid":"development"}"#),
        .header("no key id", #"{"alg":"RS256"}"#),
        .header("a control character in the key id", #"{"alg":"RS256","kid":"a\u0000"}"#),
        .header("a critical extension", #"{"alg":"RS256","kid":"development","crit":["exp"]}"#),
        .header("a payload that is not encoded", #"{"alg":"RS256","kid":"development","b64":false}"#),
        .header("no JSON", "hello"),
        .text("no header") { _ in "" },
        .text("another scheme") { "Basic \($0)" },
        .text("no scheme") { $0 },
        .text("no signature", "bad_signature") { "Bearer \($0[...($0.lastIndex(of: ".") ?? $0.startIndex)])" },
        .text("truncated", "bad_signature") { "Bearer \($0.dropLast(6))" },
        .text("two parts") { "Bearer \($0[..<($0.lastIndex(of: ".") ?? $0.startIndex)])" },
        .text("a changed payload", "bad_signature") { token in
            var parts = token.split(separator: ".").map(String.init)
            parts[1] = Base64URL.encode(Array(#"{"aud":"x"}"#.utf8))
            return "Bearer \(parts.joined(separator: "."))"
        },
        .text("huge") { "Bearer \($0)\(String(repeating: "A", count: 100_000))" },
    ]

    @Test(arguments: cases) func isBelievedOrNot(_ given: Case) throws {
        let key = try GoogleStory.key.get()
        let store = SimulatedGooglePlay(key: key)
        let token = try store.token(at: Self.now, claims: given.claims, header: given.header)
        #expect(code(given.bend(token), try publicKey(key)) == given.code)
    }

    @Test func nobodysKeyIsABadSignature() throws {
        let token = try SimulatedGooglePlay(key: try GoogleStory.key.get()).token(at: Self.now)
        #expect(code("Bearer \(token)", nil) == "bad_signature")
        let stranger = try RSAPrivateKey.generate()
        #expect(code("Bearer \(token)", try publicKey(stranger)) == "bad_signature")
    }

    /// The public key is no secret: whoever takes it for one must not be believed.
    @Test func publicKeyIsNoSecret() throws {
        let key = try GoogleStory.key.get()
        let claims = #"{"aud":"\#(SimulatedGooglePlay.audience)"}"#
        let header = #"{"alg":"HS256","kid":"development"}"#
        let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
        let code = HMAC.authenticate(Array(signed.utf8), key: key.publicNumbers.modulus)
        #expect(self.code("Bearer \(signed).\(Base64URL.encode(code))", try publicKey(key)) == "unauthorized")
    }

    /// With the exponent 1 a signature is its own message: no such key is taken.
    @Test func exponentOneSignsNothing() throws {
        let modulus = try GoogleStory.key.get().publicNumbers.modulus
        for exponent in [[1], [0, 1], [0, 0, 0, 1]] as [[UInt8]] {
            #expect(RSAPublicKey(modulus: modulus, exponent: exponent) == nil)
        }
    }

    private func publicKey(_ key: RSAPrivateKey) throws -> RSAPublicKey {
        let numbers = key.publicNumbers
        return try #require(RSAPublicKey(modulus: numbers.modulus, exponent: numbers.exponent))
    }

    private func code(_ authorization: String, _ key: RSAPublicKey?) -> String? {
        do throws(VerificationError) {
            try GooglePushToken(authorization).check(Self.expected, key: key, now: Self.now)
            return nil
        } catch {
            return error.code
        }
    }
}
