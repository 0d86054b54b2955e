import Crypto
import Domain
import Encoding
import TestSupport
import Testing

/// Offers that Apple sells with the seller's signature.
@Suite(.blocking) struct OffersJourneyTests {
    private static let path = "/offers/apple"

    private struct Fixture {
        let app: AppPost
        let key: PrivateKey

        init(_ environment: [String: String] = [:]) throws {
            key = try PrivateKey.generate(.p256)
            let settings = [
                "PAYCAST_APPLE_BUNDLE_ID": "com.example.paycast", "PAYCAST_APPLE_API_KEY": try key.pem(),
                "PAYCAST_APPLE_API_KEY_ID": "2X9R4HXF34", "PAYCAST_APPLE_API_ISSUER_ID": "the issuer",
                "PAYCAST_APPLE_API_URL": "http://127.0.0.1:1",
            ]
            app = try AppPost(settings.merging(environment) { $1 })
        }

        func ask(_ body: String, isTrusted: Bool = true) throws -> AppPost.Answer {
            try app.post(OffersJourneyTests.path, body: body, isTrusted: isTrusted)
        }

        /// Header and claims, if the signature is the key's.
        func verified(_ answer: AppPost.Answer) throws -> (header: String, claims: JSONNode) {
            let parts = try #require(answer["jws"]).split(separator: ".").map(String.init)
            try #require(parts.count == 3)
            let signature = try #require(Base64URL.decode(parts[2]))
            let signed = Array("\(parts[0]).\(parts[1])".utf8)
            #expect(try #require(key.publicKey).isValid(signature, for: signed[...]))
            let header = try #require(Base64URL.decode(parts[0]))
            let claims = try #require(Base64URL.decode(parts[1]))
            return (String(decoding: header, as: UTF8.self), try #require(JSONNode(claims)))
        }
    }

    struct Offer: Sendable, CustomTestStringConvertible {
        let body: String
        /// The claims that are the offer's own, beside those that all have.
        let claims: [String: String]
        var flags: [String: Bool] = [:]

        var testDescription: String { body }
    }

    @Test(arguments: [
        Offer(
            body: #"{"product":"pro.annual","offer":"comeback"}"#,
            claims: ["aud": "promotional-offer", "productId": "pro.annual", "offerIdentifier": "comeback"]
        ),
        Offer(
            body: #"{"product":"pro.annual","offer":"comeback","transactionId":"1000011859217"}"#,
            claims: [
                "aud": "promotional-offer", "productId": "pro.annual", "offerIdentifier": "comeback",
                "transactionId": "1000011859217",
            ]
        ),
        Offer(
            body: #"{"product":"pro.annual","allowIntroductoryOffer":false,"transactionId":"7"}"#,
            claims: ["aud": "introductory-offer-eligibility", "productId": "pro.annual", "transactionId": "7"],
            flags: ["allowIntroductoryOffer": false]
        ),
    ]) func isSignedAsAppleReadsIt(_ offer: Offer) throws {
        let fixture = try Fixture()
        let answer = try fixture.ask(offer.body)
        #expect(answer.status == 200, "\(answer)")
        let (header, claims) = try fixture.verified(answer)
        #expect(header == #"{"alg":"ES256","kid":"2X9R4HXF34","typ":"JWT"}"#)
        let all = offer.claims.merging(["iss": "the issuer", "bid": "com.example.paycast"]) { $1 }
        for (name, value) in all { #expect(claims[name]?.text == value, "\(name): \(claims)") }
        for (name, value) in offer.flags { #expect(claims[name]?.boolean == value) }
        #expect(claims["nonce"]?.text.flatMap { OrderToken($0) } != nil)
        #expect(claims["iat"]?.integer != nil && claims["exp"] == nil)
        guard case .object(let members) = claims else { return }
        #expect(members.count == all.count + offer.flags.count + 2, "nothing else: \(claims)")
        #expect(try fixture.verified(fixture.ask(offer.body)).claims["nonce"]?.text != claims["nonce"]?.text)
    }

    /// A signature is money: without the key, only what the operator has opened.
    @Test func appsGetWhatIsOpen() throws {
        let fixture = try Fixture(["PAYCAST_APPLE_OFFERS": "pro.annual:comeback, pro.monthly:half"])
        let stream = try fixture.app.stream(of: "42")
        func status(_ members: [String: String]) throws -> AppPost.Answer {
            try fixture.ask(AppPost.json(members), isTrusted: false)
        }
        let open = ["product": "pro.annual", "offer": "comeback"]
        let answer = try status(open.merging(["stream": stream]) { $1 })
        #expect(try fixture.verified(answer).claims["offerIdentifier"]?.text == "comeback")
        #expect(try status(open)["error"] == "unauthorized")
        #expect(try status(open.merging(["stream": "x--y"]) { $1 })["error"] == "forged_stream_name")
        let closed = try status(["product": "pro.annual", "offer": "half", "stream": stream])
        #expect(closed.status == 403 && closed["error"] == "offer_not_open", "\(closed)")
        let trial = #"{"product":"pro.annual","allowIntroductoryOffer":true,"transactionId":"7","stream":"\#(stream)"}"#
        #expect(try fixture.ask(trial, isTrusted: false)["error"] == "offer_not_open")
        #expect(!fixture.app.server.process.errors.contains(stream.suffix(40)))
    }

    struct Refusal: Sendable {
        let body: String
        let status: Int
        let error: String
    }

    static let refusals = [
        Refusal(body: "[", status: 400, error: "invalid_json"),
        Refusal(body: #"{"offer":"comeback"}"#, status: 400, error: "invalid_json"),
        Refusal(body: #"{"product":"","offer":"comeback"}"#, status: 400, error: "invalid_json"),
        Refusal(body: #"{"product":"p","offer":7}"#, status: 400, error: "invalid_json"),
        Refusal(body: #"{"product":"p"}"#, status: 400, error: "invalid_json"),
        Refusal(body: #"{"product":"p","offer":"o","allowIntroductoryOffer":{}}"#, status: 400, error: "invalid_json"),
        Refusal(
            body: #"{"product":"p","offer":"o","allowIntroductoryOffer":true}"#,
            status: 400,
            error: "invalid_json"
        ),
        Refusal(body: #"{"product":"p","allowIntroductoryOffer":true}"#, status: 400, error: "missing_transaction"),
        Refusal(body: #"{"product":"p","offer":"o"}"#, status: 400, error: "missing_app"),
        Refusal(body: #"{"product":"p","offer":"o","app":"com.example.c"}"#, status: 400, error: "unknown_app"),
    ]

    @Test func isRefused() throws {
        let fixture = try Fixture(["PAYCAST_APPLE_BUNDLE_ID": "com.example.a,com.example.b"])
        for refusal in Self.refusals {
            let answer = try fixture.ask(refusal.body)
            #expect(answer.status == refusal.status && answer["error"] == refusal.error, "\(refusal): \(answer)")
        }
        let named = try fixture.ask(#"{"product":"p","offer":"o","app":"com.example.b"}"#)
        #expect(try fixture.verified(named).claims["bid"]?.text == "com.example.b")
        #expect(try fixture.app.post(Self.path, body: "", method: "GET").status == 405)
        #expect(try fixture.app.post("/offers/google", body: "{}", isTrusted: true).status == 404)
    }

    /// With an app, and without the key that signs.
    @Test func serverWithoutAKeySaysSo() throws {
        let settings = [
            "PAYCAST_API_KEY": "0123456789abcdef", "PAYCAST_APPLE_BUNDLE_ID": "com.example.paycast",
            "PAYCAST_APPLE_ENVIRONMENTS": "Sandbox",
        ]
        let server = try PaycastServer([], environment: settings)
        let socket = try server.connect()
        let body = #"{"product":"p","offer":"o"}"#
        let head = "POST \(Self.path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer 0123456789abcdef\r\n"
        try socket.send("\(head)Connection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let answer = String(decoding: try socket.readToEnd(), as: UTF8.self)
        #expect(answer.contains(" 503 ") && answer.contains("PAYCAST_APPLE_API_KEY"), "\(answer)")
    }
}
