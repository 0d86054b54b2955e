import Crypto
import Domain
import Encoding
import Testing

@Suite struct StreamNameVerifierTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var key: StreamNameVerifier.Key
        var name: String
        var token: String
    }

    private static let secret = "test-secret-key-base-do-not-use"
    private static let now = Instant(milliseconds: 1_766_094_420_000)

    /// The first two are AnyCable's, the others were computed outside of this project with Rails' algorithm.
    static let vectors = [
        Vector(
            testDescription: "text key, colon",
            key: .init(text: "s3Krit"),
            name: "chat:2021",
            token: "ImNoYXQ6MjAyMSI=--f9ee45dbccb1da04d8ceb99cc820207804370ba0d06b46fc3b8b373af1315628"
        ),
        Vector(
            testDescription: "text key, slash",
            key: .init(text: "s3Krit"),
            name: "chat/2023",
            token: "ImNoYXQvMjAyMyI=--2b2e054b6413bf3bc7e8bbad2f68962aa2ba19821800ccbd8de6fd7314e8320c"
        ),
        Vector(
            testDescription: "SHA-256, GlobalID",
            key: .init(secretKeyBase: secret, with: .sha256),
            name: "Z2lkOi8vcGF5d2FsbC9Vc2VyLzQy:paywall",
            token: "IloybGtPaTh2Y0dGNWQyRnNiQzlWYzJWeUx6UXk6cGF5d2FsbCI="
                + "--37e354dd7d0a8524e0f64881c55f0f77db327388b0312825e5145e4a80a70b52"
        ),
        Vector(
            testDescription: "SHA-256, plain",
            key: .init(secretKeyBase: secret, with: .sha256),
            name: "user_42_paywall",
            token: "InVzZXJfNDJfcGF5d2FsbCI=--f8aab4e33adec3005ee7b8ccf40c2a3a4b5f18807b67c981784efdd6a21d1304"
        ),
        Vector(
            testDescription: "SHA-1, GlobalID",
            key: .init(secretKeyBase: secret, with: .sha1),
            name: "Z2lkOi8vcGF5d2FsbC9Vc2VyLzQy:paywall",
            token: "IloybGtPaTh2Y0dGNWQyRnNiQzlWYzJWeUx6UXk6cGF5d2FsbCI="
                + "--d93136ab27c8f1968d0b16c5272fe6855758bafb533cb94854cede69e48d21bd"
        ),
        Vector(
            testDescription: "SHA-1, plain",
            key: .init(secretKeyBase: secret, with: .sha1),
            name: "user_42_paywall",
            token: "InVzZXJfNDJfcGF5d2FsbCI=--d20e696dcc6ba180103861cd3664c21450fefe2021433715c547bf1c65924e3e"
        ),
    ]

    @Test(arguments: vectors) func signsAsRailsDoes(_ vector: Vector) throws {
        let signer = try #require(StreamNameVerifier(keys: [vector.key]))
        let name = try #require(StreamName(vector.name))
        #expect(signer.sign(name) == vector.token)
        #expect(try signer.verify(vector.token, now: Self.now).stream == name)
    }

    @Test func everyKeyVerifiesAndTheFirstOneSigns() throws {
        let all = try #require(StreamNameVerifier(keys: Self.vectors.map(\.key)))
        for vector in Self.vectors { #expect(try all.verify(vector.token, now: Self.now).stream.text == vector.name) }
        #expect(all.sign(try #require(StreamName("chat:2021"))) == Self.vectors[0].token)
    }

    @Test(arguments: vectors) func anotherKeyDoesNot(_ vector: Vector) throws {
        let stranger = try #require(StreamNameVerifier(keys: [.init(text: "another key")]))
        #expect(throws: StreamNameError.forged) { try stranger.verify(vector.token, now: Self.now) }
    }

    @Test func everyFlippedCharacterIsForged() throws {
        let vector = Self.vectors[0]
        let signer = try #require(StreamNameVerifier(keys: [vector.key]))
        for index in vector.token.utf8.indices {
            var bytes = Array(vector.token.utf8)
            bytes[vector.token.utf8.distance(from: vector.token.utf8.startIndex, to: index)] ^= 1
            let token = String(decoding: bytes, as: UTF8.self)
            #expect(throws: StreamNameError.forged) { try signer.verify(token, now: Self.now) }
        }
    }

    @Test(arguments: ["", "--", "x", "ImNoYXQ6MjAyMSI=", "ImNoYXQ6MjAyMSI=--", "ImNoYXQ6MjAyMSI=--F9EE"])
    func refuses(_ token: String) throws {
        let signer = try #require(StreamNameVerifier(keys: [.init(text: "s3Krit")]))
        #expect(throws: StreamNameError.forged) { try signer.verify(token, now: Self.now) }
    }

    @Test func upperCaseDigestIsForged() throws {
        let vector = Self.vectors[0]
        let signer = try #require(StreamNameVerifier(keys: [vector.key]))
        let parts = vector.token.split(separator: "--")
        let token = "\(parts[0])--\(parts[1].uppercased())"
        #expect(throws: StreamNameError.forged) { try signer.verify(token, now: Self.now) }
    }

    @Test(arguments: [
        ("ImNoYXQi--" + String(repeating: "0", count: 64), true),
        ("ImNoYXQi--" + String(repeating: "g", count: 64), false),
        ("ImNoYXQi--" + String(repeating: "0", count: 63), false), ("--" + String(repeating: "0", count: 64), false),
        (String(repeating: "0", count: 80), false), ("forged", false), ("", false),
    ]) func looksSigned(_ token: String, _ looksSo: Bool) {
        #expect(StreamNameVerifier.looksSigned(token) == looksSo)
    }

    /// AnyCable's own vector of a genuine token that is no name.
    @Test func genuineArrayIsNotAName() throws {
        let signer = try #require(StreamNameVerifier(keys: [.init(text: "s3Krit")]))
        let token =
            "WyJjaGF0LzIwMjMiLDE2ODUwMjQwMTdd--5b6661024d4c463c4936cd1542bc9a7672dd8039ac407d0b6c901697190e8aeb"
        #expect(throws: StreamNameError.notAName) { try signer.verify(token, now: Self.now) }
    }

    struct Payload: Sendable, CustomTestStringConvertible {
        var json: String
        var name: String?
        var error: StreamNameError?
        var testDescription: String { json }
    }

    @Test(arguments: [
        Payload(json: #""a\"\\\/\u00e9\ud83d\ude00b""#, name: "a\"\\/é😀b"),
        Payload(json: #""user:<é>&""#, name: "user:<é>&"),
        Payload(json: #"{"_rails":{"data":"chat","exp":"2025-12-18T21:47:00.001Z"}}"#, name: "chat"),
        Payload(json: #"{"_rails":{"data":"chat","pur":null}}"#, name: "chat"),
        Payload(json: #"{"_rails":{"data":"chat","pur":""}}"#, name: "chat"),
        Payload(json: #"{"_rails":{"data":"chat","pur":"stream"}}"#, error: .notAName),
        Payload(json: #"{"_rails":{"data":"chat","pur":"login","exp":"2025-12-18T21:47:00.000Z"}}"#, error: .notAName),
        Payload(json: #"{"_rails":{"message":"ImNoYXQi","exp":null,"pur":"blob_id"}}"#, error: .notAName),
        Payload(json: #"{"_rails":{"data":"chat","pur":false}}"#, error: .notAName),
        Payload(json: #"{"_rails":{"data":["chat"],"exp":"2025-12-18T21:47:00.000Z"}}"#, error: .notAName),
        Payload(json: #"{"_rails":{"message":"ImNoYXQi","exp":"2026-01-01T00:00:00.000Z","pur":null}}"#, name: "chat"),
        Payload(json: #"{"_rails":{"data":"chat","exp":"2025-12-18T21:47:00.000Z"}}"#, error: .expired),
        Payload(json: #"{"_rails":{"data":"chat","exp":"tomorrow"}}"#, error: .notAName),
        Payload(json: #"{"_rails":{"data":["chat"]}}"#, error: .notAName),
        Payload(json: #"{"_rails":{}}"#, error: .notAName),
        Payload(json: #""""#, error: .notAName),
        Payload(json: #" "chat" "#, error: .notAName),
        Payload(json: #""chat" "#, name: "chat"),
        Payload(json: #""a"b""#, error: .notAName),
        Payload(json: #""\ud83d""#, error: .notAName),
        Payload(json: #""\u00g0""#, error: .notAName),
        Payload(json: #""\"#, error: .notAName),
        Payload(json: "\"", error: .notAName),
        Payload(json: "\"line\nbreak\"", error: .notAName),
        Payload(json: #""\u0000""#, error: .notAName),
        Payload(json: "42", error: .notAName),
        Payload(json: "null", error: .notAName),
    ]) func readsGenuinePayloads(_ payload: Payload) throws {
        let signer = try #require(StreamNameVerifier(keys: [.init(text: "s3Krit")]))
        let encoded = Base64.encode(Array(payload.json.utf8))
        let digest = HMAC.authenticate(Array(encoded.utf8), key: Array("s3Krit".utf8))
        let token = "\(encoded)--\(Hex.encode(digest))"
        if let error = payload.error {
            #expect(throws: error) { try signer.verify(token, now: Self.now) }
        } else {
            #expect(try signer.verify(token, now: Self.now).stream.text == payload.name)
        }
    }

    @Test func expiringNamesExpire() throws {
        let signer = try #require(StreamNameVerifier(keys: [.init(text: "s3Krit")]))
        let name = try #require(StreamName("quote \" and é"))
        let token = signer.sign(name, expires: Self.now + .seconds(60))
        #expect(try signer.verify(token, now: Self.now).stream == name)
        #expect(throws: StreamNameError.expired) { try signer.verify(token, now: Self.now + .seconds(60)) }
    }

    @Test func thereIsNoSignerWithoutAKey() {
        #expect(StreamNameVerifier(keys: []) == nil)
    }

    @Test func derivedKeysAreRails() {
        let sha256 = PBKDF2.derive(
            from: Self.secret,
            salt: "turbo/signed_stream_verifier_key",
            iterations: 1000,
            count: 64,
            with: .sha256
        )
        #expect(
            Hex.encode(sha256)
                == "0fd89dfffb5049a143463d159e253eea7521fc0ebc31a8509230a60180b3d774"
                + "82fb6fe0b55fd53c8d972f89ac8116a3c855e74a58159e56a0f9dd993d525715"
        )
    }

    /// Rails leaves members of its envelope that it does not know alone.
    @Test(arguments: [nil, Instant(milliseconds: 1_766_094_421_000)])
    func namesSayAfterWhichEnding(_ end: Instant?) throws {
        let signer = try #require(StreamNameVerifier(keys: [.init(text: "s3Krit")]))
        let stream = try #require(StreamName("user:42:paywall"))
        for ending in [nil, 7, Int64.max].map({ $0.map { Cursor(epoch: "q3yussc8", position: $0) } }) {
            let token = signer.sign(stream, expires: end, after: ending)
            let name = try signer.verify(token, now: Self.now)
            #expect(name == SignedName(stream: stream, expires: end, ending: ending))
            #expect((ending == nil) == (token == signer.sign(stream, expires: end)))
        }
    }

    struct Ending: Sendable, CustomTestStringConvertible {
        /// What the name was signed after.
        var said: String?
        /// Where its user's pages were ended last, in the ledger with the epoch `a`.
        var last: Int64
        var isBefore: Bool
        var testDescription: String { "\(said ?? "nothing") and \(last)" }
    }

    @Test(arguments: [
        Ending(said: nil, last: 0, isBefore: false), Ending(said: nil, last: 1, isBefore: true),
        Ending(said: "a-310", last: 310, isBefore: false), Ending(said: "a-700", last: 310, isBefore: false),
        Ending(said: "a-309", last: 310, isBefore: true),
        // Of a ledger that was restored since then, and counts on from where it was.
        Ending(said: "b-700", last: 310, isBefore: true), Ending(said: "b-310", last: 310, isBefore: true),
        Ending(said: "b-700", last: 0, isBefore: false),
    ]) func anEndingOfAnotherEpochSaysNothing(_ item: Ending) throws {
        let ending = try item.said.map { try #require(Cursor($0)) }
        let name = SignedName(stream: try #require(StreamName("user:42:paywall")), ending: ending)
        #expect(name.isSigned(before: item.last, in: "a") == item.isBefore)
    }
}
