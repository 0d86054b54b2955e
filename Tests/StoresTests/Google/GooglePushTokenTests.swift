import Crypto
import Domain
import Encoding
import Simulator
import Testing

@testable import Stores

/// The bearer of a push, genuine in every way but one.
@Suite struct GooglePushTokenTests {
    private static let now = GoogleFixture.now
    private static let expected: GooglePushToken.Expectation = (
        audience: SimulatedGooglePlay.audience, account: SimulatedGooglePlay.pushAccount
    )

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var code: String?
        var claims: [(name: String, json: String?)] = []
        var header = #"{"alg":"RS256","kid":"development","typ":"JWT"}"#
        var change: @Sendable (String) -> String = { "Bearer \($0)" }

        static func claim(_ name: String, named claim: String, value json: String?, code: String? = "unauthorized")
            -> Case
        {
            Case(testDescription: name, code: code, claims: [(claim, json)])
        }

        static func header(_ name: String, header: String, code: String? = "unauthorized") -> Case {
            Case(testDescription: name, code: code, header: header)
        }

        static func text(
            _ name: String,
            code: String? = "unauthorized",
            change: @escaping @Sendable (String) -> String
        ) -> Case {
            Case(testDescription: name, code: code, change: change)
        }

        static func times(_ name: String, issued: Int64, ends: Int64, code: String?) -> Case {
            let second = GooglePushTokenTests.now.seconds
            let claims: [(name: String, json: String?)] = [("iat", "\(second + issued)"), ("exp", "\(second + ends)")]
            return Case(testDescription: name, code: code, claims: claims)
        }
    }

    static let cases: [Case] = [
        .text("as Google sends it", code: nil) { "Bearer \($0)" },
        .text("lower-case scheme", code: nil) { "bearer \($0)" },
        .claim("the issuer's other spelling", named: "iss", value: #""accounts.google.com""#, code: nil),
        .times("five minutes ahead", issued: 300, ends: 3900, code: nil),
        .times("five minutes after its end", issued: -3900, ends: -300, code: nil),
        .times("from the future", issued: 301, ends: 3900, code: "signed_in_future"),
        .times("expired", issued: -3901, ends: -301, code: "signed_in_past"),
        .times("before 1970", issued: -9_000_000_000_000, ends: -9_000_000_000_000, code: "signed_in_past"),
        .claim("for somebody else", named: "aud", value: #""https://other.example""#),
        .claim("for several", named: "aud", value: #"["https://paycast.example/webhooks/google"]"#),
        .claim("for nobody", named: "aud", value: nil),
        .claim("another issuer", named: "iss", value: #""https://accounts.google.com.evil.example""#),
        .claim("no issuer", named: "iss", value: nil),
        .claim("another account", named: "email", value: #""evil@paycast-development.iam.gserviceaccount.com""#),
        .claim("no account", named: "email", value: nil),
        .claim("an unverified account", named: "email_verified", value: "false"),
        .claim("a verified account in text", named: "email_verified", value: #""true""#),
        .claim("no verification", named: "email_verified", value: nil),
        .claim("no end", named: "exp", value: nil),
        .claim("an end in text", named: "exp", value: #""9999999999""#),
        .claim("an end beyond 2^63", named: "exp", value: "9223372036854775808"),
        .claim("an end at the last number", named: "exp", value: "9223372036854775807", code: nil),
        .claim("the first number as its beginning", named: "iat", value: "-9223372036854775808", code: nil),
        .claim("a claim twice", named: "aud\":\"x\",\"aud", value: #""https://paycast.example/webhooks/google""#),
        .header("no algorithm", header: #"{"alg":"none","kid":"development"}"#),
        .header("another algorithm", header: #"{"alg":"HS256","kid":"development"}"#),
        .header("an algorithm for RSA that is not ours", header: #"{"alg":"PS256","kid":"development"}"#),
        .header("no key id", header: #"{"alg":"RS256"}"#),
        .header("a control character in the key id", header: #"{"alg":"RS256","kid":"a\u0000"}"#),
        .header("a critical extension", header: #"{"alg":"RS256","kid":"development","crit":["exp"]}"#),
        .header("a payload that is not encoded", header: #"{"alg":"RS256","kid":"development","b64":false}"#),
        .header("no JSON", header: "hello"),
        .text("no header") { _ in "" },
        .text("another scheme") { "Basic \($0)" },
        .text("no scheme") { $0 },
        .text("no signature", code: "bad_signature") { "Bearer \($0[...($0.lastIndex(of: ".") ?? $0.startIndex)])" },
        .text("truncated", code: "bad_signature") { "Bearer \($0.dropLast(6))" },
        .text("two parts") { "Bearer \($0[..<($0.lastIndex(of: ".") ?? $0.startIndex)])" },
        .text("a changed payload", code: "bad_signature") { token in
            var parts = token.split(separator: ".").map(String.init)
            parts[1] = Base64URL.encode(Array(#"{"aud":"x"}"#.utf8))
            return "Bearer \(parts.joined(separator: "."))"
        },
        .text("huge") { "Bearer \($0)\(String(repeating: "A", count: 100_000))" },
    ]

    @Test(arguments: cases) func isBelievedOrNot(_ given: Case) throws {
        let key = try GoogleFixture.key.get()
        let store = SimulatedGooglePlay(key: key)
        let token = try store.token(at: Self.now, claims: given.claims, header: given.header)
        #expect(code(given.change(token), key: try publicKey(key)) == given.code)
    }

    @Test func nobodysKeyIsABadSignature() throws {
        let token = try SimulatedGooglePlay(key: try GoogleFixture.key.get()).token(at: Self.now)
        #expect(code("Bearer \(token)", key: nil) == "bad_signature")
        let stranger = try RSAPrivateKey.generate()
        #expect(code("Bearer \(token)", key: try publicKey(stranger)) == "bad_signature")
    }

    /// The public key is no secret: whoever takes it for one must not be believed.
    @Test func publicKeyIsNoSecret() throws {
        let key = try GoogleFixture.key.get()
        let claims = #"{"aud":"\#(SimulatedGooglePlay.audience)"}"#
        let header = #"{"alg":"HS256","kid":"development"}"#
        let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
        let code = HMAC.authenticate(Array(signed.utf8), key: key.publicNumbers.modulus)
        #expect(self.code("Bearer \(signed).\(Base64URL.encode(code))", key: try publicKey(key)) == "unauthorized")
    }

    /// With the exponent 1 a signature is its own message: no such key is taken.
    @Test func exponentOneSignsNothing() throws {
        let modulus = try GoogleFixture.key.get().publicNumbers.modulus
        for exponent in [[1], [0, 1], [0, 0, 0, 1]] as [[UInt8]] {
            #expect(RSAPublicKey(modulus: modulus, exponent: exponent) == nil)
        }
    }

    private func publicKey(_ key: RSAPrivateKey) throws -> RSAPublicKey {
        let numbers = key.publicNumbers
        return try #require(RSAPublicKey(modulus: numbers.modulus, exponent: numbers.exponent))
    }

    private func code(_ authorization: String, key: RSAPublicKey?) -> String? {
        do throws(VerificationError) {
            try GooglePushToken(authorization).check(Self.expected, key: key, now: Self.now)
            return nil
        } catch {
            return error.code
        }
    }
}
