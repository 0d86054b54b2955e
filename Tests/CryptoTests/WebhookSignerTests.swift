import Crypto
import Testing

@Suite struct WebhookSignerTests {
    /// Made with PyPI's `standardwebhooks` 1.0.
    private static let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    private static let id = "msg_p5jXN8AQM9LWM0D4loKWxJek"
    private static let time = "1614265330"
    private static let body = Array(#"{"test": 2432232314}"#.utf8)
    private static let signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="

    private func signer(_ secrets: String...) throws -> WebhookSigner {
        WebhookSigner(try secrets.map { try #require(WebhookSecret($0)) })
    }

    @Test func signsAsTheLibraryDoes() throws {
        let headers = try signer(WebhookSignerTests.secret)
            .headers(id: WebhookSignerTests.id, at: 1_614_265_330, body: WebhookSignerTests.body)
        #expect(headers.map(\.0) == ["webhook-id", "webhook-timestamp", "webhook-signature"])
        #expect(headers.map(\.1) == [WebhookSignerTests.id, WebhookSignerTests.time, WebhookSignerTests.signature])
    }

    @Test func allSecretsSignWhileTheyAreRotated() throws {
        let new = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
        let headers = try signer(new, WebhookSignerTests.secret)
            .headers(id: WebhookSignerTests.id, at: 1_614_265_330, body: WebhookSignerTests.body)
        let signatures = headers[2].1.split(separator: " ")
        #expect(signatures.count == 2 && signatures[1] == WebhookSignerTests.signature)
        for secret in [new, WebhookSignerTests.secret] {
            #expect(
                try signer(secret).verifies(
                    headers[2].1,
                    id: WebhookSignerTests.id,
                    time: WebhookSignerTests.time,
                    body: WebhookSignerTests.body
                )
            )
        }
    }

    struct Forgery: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var signature = WebhookSignerTests.signature
        var id = WebhookSignerTests.id
        var time = WebhookSignerTests.time
        var body = WebhookSignerTests.body
    }

    @Test(arguments: [
        Forgery(testDescription: "another id", id: "msg_2"),
        Forgery(testDescription: "another time", time: "1614265331"),
        Forgery(testDescription: "another body", body: []), Forgery(testDescription: "no signature", signature: ""),
        Forgery(testDescription: "another version", signature: "v1a" + signature.dropFirst(2)),
    ]) func refusesForgeries(_ forgery: Forgery) throws {
        let signer = try signer(WebhookSignerTests.secret)
        #expect(!signer.verifies(forgery.signature, id: forgery.id, time: forgery.time, body: forgery.body))
    }

    @Test(arguments: [
        "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_", "whsec_c2hvcnQ=", "whsec_not base64 at all!!!!!!!!!!!!!",
        "whsec_" + String(repeating: "A", count: 88),
    ]) func refusesWhatIsNoSecret(_ text: String) {
        #expect(WebhookSecret(text) == nil)
    }
}
