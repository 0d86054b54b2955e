import Crypto
import Domain
import Encoding
import Simulator
import TestSupport
import Testing

/// Everything that an app, or somebody who is none, may post wrongly: its answer, and no trace of it.
@Suite(.blocking) struct PostedBadInputTests {
    struct Attack: Sendable {
        var name: String
        var path = "/transactions/apple"
        /// `JWS` and `STREAM` stand for good ones.
        var body: String
        var isTrusted = true
        var method = "POST"
        var status = 400
        var code: String
    }

    private static let deep = String(repeating: "[", count: 100_000)
    private static let attacks = [
        Attack(name: "no JSON", body: "hello", code: "invalid_json"),
        Attack(name: "empty", body: "", code: "invalid_json"),
        Attack(name: "an array", body: "[]", code: "invalid_json"),
        Attack(name: "nested without end", body: deep, code: "invalid_json"),
        Attack(name: "no transaction", body: "{}", code: "missing_signed_transaction"),
        Attack(name: "a number for it", body: #"{"signedTransaction":1}"#, code: "invalid_json"),
        Attack(name: "null for it", body: #"{"signedTransaction":null}"#, code: "missing_signed_transaction"),
        Attack(
            name: "two of them",
            body: #"{"signedTransaction":"JWS","signedTransaction":"a.b.c"}"#,
            code: "duplicate_member"
        ),
        Attack(
            name: "two of them, one escaped",
            body: #"{"signedTransaction":"JWS","signed\u0054ransaction":"a.b.c"}"#,
            code: "duplicate_member"
        ),
        Attack(
            name: "two users",
            body: #"{"signedTransaction":"JWS","user":"1","user":"2"}"#,
            code: "duplicate_member"
        ),
        Attack(name: "no JWS", body: #"{"signedTransaction":"a.b.c"}"#, code: "invalid_jws"),
        Attack(name: "a JWS cut short", body: #"{"signedTransaction":"JW.x"}"#, code: "invalid_jws"),
        Attack(
            name: "a renewal that is a transaction",
            body: #"{"signedTransaction":"JWS","signedRenewalInfo":"a.b.c"}"#,
            code: "invalid_jws"
        ),
        Attack(
            name: "nobody",
            body: #"{"signedTransaction":"JWS"}"#,
            isTrusted: false,
            status: 401,
            code: "unauthorized"
        ),
        Attack(
            name: "a user without the key",
            body: #"{"signedTransaction":"JWS","user":"1"}"#,
            isTrusted: false,
            status: 401,
            code: "unauthorized"
        ),
        Attack(
            name: "another user than the page's",
            body: #"{"signedTransaction":"JWS","user":"2","stream":"STREAM"}"#,
            isTrusted: false,
            status: 401,
            code: "unauthorized"
        ),
        Attack(
            name: "user and stream of two",
            body: #"{"signedTransaction":"JWS","user":"2","stream":"STREAM"}"#,
            code: "contradicting_user"
        ),
        Attack(
            name: "user with a line break",
            body: #"{"signedTransaction":"JWS","user":"a\nb"}"#,
            code: "invalid_user"
        ),
        Attack(name: "user that is a number", body: #"{"signedTransaction":"JWS","user":1}"#, code: "invalid_json"),
        Attack(
            name: "finish that is a text",
            body: #"{"signedTransaction":"JWS","finish":"yes"}"#,
            code: "invalid_json"
        ),
        Attack(
            name: "asked that is a text",
            body: #"{"signedTransaction":"JWS","asked":"true"}"#,
            code: "invalid_json"
        ),
        Attack(
            name: "asked that is a number",
            body: #"{"signedTransaction":"JWS","asked":1}"#,
            code: "invalid_json"
        ),
        Attack(
            name: "a forged stream",
            body: #"{"signedTransaction":"JWS","stream":"STREAM0"}"#,
            isTrusted: false,
            status: 403,
            code: "forged_stream_name"
        ),
        Attack(
            name: "a forged stream beside the key",
            body: #"{"signedTransaction":"JWS","stream":"x"}"#,
            status: 403,
            code: "forged_stream_name"
        ),
        Attack(
            name: "a stream that is over",
            body: #"{"signedTransaction":"JWS","stream":"EXPIRED"}"#,
            isTrusted: false,
            status: 403,
            code: "expired_stream_name"
        ),
        Attack(
            name: "a stream of no user",
            body: #"{"signedTransaction":"JWS","stream":"ROOM"}"#,
            isTrusted: false,
            status: 403,
            code: "not_a_users_stream"
        ),
        Attack(name: "wrong method", body: "", method: "GET", status: 405, code: "method_not_allowed"),
        Attack(name: "a foreign chain", body: #"{"signedTransaction":"FOREIGN"}"#, code: "untrusted_chain"),
        Attack(
            name: "another app",
            body: #"{"signedTransaction":"OTHER"}"#,
            status: 503,
            code: "wrong_app"
        ),
    ]

    private static let receipts = [
        Attack(name: "no key", body: #"{"receipt":"AAAA"}"#, isTrusted: false, status: 401, code: "unauthorized"),
        Attack(
            name: "no key, a user",
            body: #"{"receipt":"AAAA","user":"1"}"#,
            isTrusted: false,
            status: 401,
            code: "unauthorized"
        ),
        Attack(
            name: "no key, an answer of Apple's that anybody can write",
            body: #"{"verifyReceipt":{"status":0},"stream":"STREAM"}"#,
            isTrusted: false,
            status: 401,
            code: "unauthorized"
        ),
        Attack(
            name: "a forged stream",
            body: #"{"receipt":"AAAA","stream":"STREAM0"}"#,
            isTrusted: false,
            status: 403,
            code: "forged_stream_name"
        ),
        Attack(
            name: "no receipt of Apple's",
            body: #"{"receipt":"AAAA","stream":"STREAM","asked":true}"#,
            isTrusted: false,
            code: "invalid_receipt"
        ),
        Attack(name: "asked that is a text", body: #"{"receipt":"AAAA","asked":"true"}"#, code: "invalid_json"),
        Attack(name: "asked that is a number", body: #"{"receipt":"AAAA","asked":1}"#, code: "invalid_json"),
        Attack(name: "no JSON", body: "hello", code: "invalid_json"),
        Attack(name: "nested without end", body: deep, code: "invalid_json"),
        Attack(name: "neither", body: "{}", code: "missing_receipt"),
        Attack(name: "both", body: #"{"receipt":"AAAA","verifyReceipt":{}}"#, code: "missing_receipt"),
        Attack(name: "two receipts", body: #"{"receipt":"AAAA","receipt":"BBBB"}"#, code: "duplicate_member"),
        Attack(
            name: "two ends of a period",
            body: #"{"verifyReceipt":{"status":0,"latest_receipt_info":[{"a":1,"a":2}]}}"#,
            code: "duplicate_member"
        ),
        Attack(name: "no Base64", body: #"{"receipt":"!"}"#, code: "invalid_receipt"),
        Attack(name: "empty", body: #"{"receipt":""}"#, code: "invalid_receipt"),
        Attack(name: "no ASN.1", body: #"{"receipt":"aGVsbG8="}"#, code: "invalid_receipt"),
        Attack(name: "a number", body: #"{"receipt":1}"#, code: "invalid_json"),
        Attack(name: "of iOS 6", body: #"{"receipt":"eyB9"}"#, status: 422, code: "store_api_needed"),
        Attack(name: "an answer that is a list", body: #"{"verifyReceipt":[]}"#, code: "invalid_json"),
        Attack(name: "an answer without status", body: #"{"verifyReceipt":{}}"#, code: "invalid_receipt"),
        Attack(
            name: "an answer from an unknown environment",
            body: #"{"verifyReceipt":{"status":0},"environment":"Xcode"}"#,
            code: "invalid_environment"
        ),
        Attack(
            name: "a Sandbox receipt at Production",
            body: #"{"verifyReceipt":{"status":21007}}"#,
            status: 422,
            code: "sandbox_receipt"
        ),
        Attack(
            name: "an outage of Apple's",
            body: #"{"verifyReceipt":{"status":21199,"is-retryable":true}}"#,
            status: 503,
            code: "apple_internal_error"
        ),
        Attack(name: "wrong method", body: "", method: "GET", status: 405, code: "method_not_allowed"),
    ].map { attack in
        var attack = attack
        attack.path = "/receipts/apple"
        return attack
    }

    @Test func everyAttackHasItsAnswerAndLeavesNoTrace() throws {
        let app = try AppPost([
            "PAYCAST_APPLE_BUNDLE_ID": "com.example.paycast", "PAYCAST_APPLE_APP_ID": "1", "PAYCAST_STREAM_KEYS": "s",
        ])
        let words = try words(app)
        for attack in PostedBadInputTests.attacks + PostedBadInputTests.receipts {
            var body = attack.body
            // With the quote before it: a signed text may hold any of the words.
            for (word, text) in words { body = body.replacing("\"" + word, with: "\"" + text) }
            let answer = try app.post(attack.path, body: body, isTrusted: attack.isTrusted, method: attack.method)
            #expect(answer.status == attack.status, "\(attack.path) \(attack.name): \(answer.body)")
            #expect(answer["error"] == attack.code, "\(attack.path) \(attack.name): \(answer.body)")
            #expect(answer["message"]?.hasSuffix(".") == true)
            if answer.status == 503 { #expect(answer.head.contains("Retry-After: ")) }
        }
        #expect(try app.entitlements(of: "1").contains(#"-0","user":"1""#), "nothing was committed")
        for (_, text) in words { #expect(!app.server.process.errors.contains(text.suffix(40))) }
    }

    /// What stands for a word: good texts, and good ones of somebody else's.
    private func words(_ app: AppPost) throws -> [(String, String)] {
        let authority = try DevelopmentAuthority.create()
        let foreign = SimulatedAppStore(signer: AppStoreSigner(chain: authority.chain, key: authority.leafKey))
        var other = app.purchase("1")
        other.app = "com.example.other"
        let signer = try #require(StreamNameVerifier(keys: [StreamNameVerifier.Key(text: "s")]))
        let stream = try #require(StreamName("user:1:paywall"))
        return [
            ("EXPIRED", signer.sign(stream, expires: Instant(milliseconds: 1_000_000_000_000))),
            ("ROOM", signer.sign(try #require(StreamName("room:1")))), ("STREAM", signer.sign(stream)),
            ("FOREIGN", try foreign.transaction(app.purchase("1"))), ("OTHER", try app.store.transaction(other)),
            ("JWS", try app.store.transaction(app.purchase("1"))),
        ]
    }

    @Test func nothingConfiguredIsSaid() throws {
        let process = try PaycastServer([], environment: ["PAYCAST_API_KEY": "key-key-key-key-key"])
        for (path, body) in [
            ("/transactions/apple", #"{"signedTransaction":"a.b.c"}"#), ("/receipts/apple", #"{"receipt":"AAAA"}"#),
        ] {
            let socket = try process.connect()
            let head =
                "POST \(path) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer key-key-key-key-key\r\nConnection: close\r\n"
            try socket.send(head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body)
            let answer = String(decoding: try socket.readToEnd(), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 503 "))
            #expect(answer.contains(#""error":"not_configured""#))
        }
    }

    @Test func bodyMayHave256KiB() throws {
        let app = try AppPost()
        let large = "{\"receipt\":\"\(String(repeating: "A", count: 256 << 10))\"}"
        #expect(try app.post("/receipts/apple", body: large, isTrusted: true).status == 413)
        let most = "{\"receipt\":\"\(String(repeating: "A", count: 261_000))\"}"
        #expect(try app.post("/receipts/apple", body: most, isTrusted: true)["error"] == "invalid_receipt")
        let dots = "{\"signedTransaction\":\"\(String(repeating: ".", count: 261_000))\"}"
        #expect(try app.post("/transactions/apple", body: dots, isTrusted: true)["error"] == "invalid_jws")
    }

    @Test func textThatIsNoUTF8IsRefused() throws {
        let app = try AppPost()
        let body = Array(#"{"signedTransaction":""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8)
        let socket = try app.server.connect()
        let key = app.workspace.apiKey
        let head =
            "POST /transactions/apple HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\nConnection: close\r\n"
        try socket.send(Array((head + "Content-Length: \(body.count)\r\n\r\n").utf8) + body)
        #expect(String(decoding: try socket.readToEnd(), as: UTF8.self).contains(#""error":"invalid_json""#))
    }
}
