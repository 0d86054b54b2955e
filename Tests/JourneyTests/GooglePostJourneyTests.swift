import Concurrency
import Domain
import Simulator
import TestSupport
import Testing

/// What the Play Billing library gave an app, before, after and beside Google's push.
@Suite(.timeLimit(.minutes(30)), .blocking) struct GooglePostJourneyTests {
    private static let path = "/transactions/google"

    private struct Fixture {
        let app: AppPost
        let google: SimulatedGooglePlay
        var facts: SimulatedSubscription

        init(kind: ProductKind = .subscription, environment: [String: String] = [:]) throws {
            app = try AppPost(environment)
            google = SimulatedGooglePlay(key: app.workspace.google)
            let product = kind == .subscription ? "paycast.pro.monthly" : "paycast.lifetime"
            facts = SimulatedSubscription(product: product, kind: kind, lineage: "google.token.1")
        }

        /// Google knows it from now on; its push is returned, not posted.
        func buy(_ type: String, token: OrderToken? = nil) throws -> SimulatedDelivery {
            let event = SimulatedEvent(type: type, facts: facts, token: token, now: Clock().now())
            let delivery = try google.delivery(event)
            for document in delivery.documents {
                let body = String(decoding: document.json, as: UTF8.self)
                let put = try app.post("/demo/api/google" + document.path, body: body, method: "PUT")
                #expect(put.status == 200)
            }
            return delivery
        }

        func push(_ delivery: SimulatedDelivery) throws -> Int {
            let body = String(decoding: delivery.body, as: UTF8.self)
            return try app.post(delivery.path, body: body, headers: delivery.headers).status
        }
    }

    @Test func appComesFirstAndThePushIsSilent() throws {
        let fixture = try Fixture()
        let page = try fixture.app.page("42")
        let delivery = try fixture.buy("SUBSCRIPTION_PURCHASED", token: try fixture.app.order(of: "42"))
        let body = try ["purchaseToken": fixture.facts.lineage, "stream": fixture.app.stream(of: "42")]
        let posted = try fixture.app.post(Self.path, members: body)
        #expect(posted.status == 200, "\(posted)")
        #expect(posted["outcome"] == "applied" && posted["claim"] == "granted", "\(posted)")
        let told = try fixture.app.told(page, of: "42")
        #expect(told.filter { $0.contains(#"target="paywall""#) }.count == 1, "\(told)")
        #expect(try fixture.push(delivery) == 204)
        #expect(try fixture.app.told(page, of: "42") == [])
        #expect(try fixture.app.entitlements(of: "42").contains(#""active":true"#))
        // It was acknowledged once it was committed, as after a push.
        try Deadline(.seconds(60)).wait(for: "an acknowledgement") {
            try fixture.app.post("/demo/api/google/jobs", body: "", method: "GET").body.contains("acknowledge")
        }
    }

    @Test(arguments: [ProductKind.subscription, .nonConsumable])
    func backendPostsForItsUser(_ kind: ProductKind) throws {
        let fixture = try Fixture(kind: kind)
        let type = kind == .subscription ? "SUBSCRIPTION_PURCHASED" : "ONE_TIME_PRODUCT_PURCHASED"
        _ = try fixture.buy(type)
        let body = ["purchaseToken": fixture.facts.lineage, "productId": fixture.facts.product]
        #expect(try fixture.app.post(Self.path, members: body, isTrusted: true)["outcome"] == "unclaimed")
        let forUser = body.merging(["user": "7"]) { $1 }
        #expect(try fixture.app.post(Self.path, members: forUser, isTrusted: true)["claim"] == "granted")
        #expect(try fixture.app.entitlements(of: "7").contains(#""active":true"#))
        #expect(try fixture.app.post(Self.path, members: forUser).status == 401, "a user without the key")
    }

    @Test func whatIsKeptForItsUserIsRefusedToOthers() throws {
        let fixture = try Fixture(environment: ["PAYCAST_TRANSFERS": "keep"])
        #expect(
            try fixture.push(try fixture.buy("SUBSCRIPTION_PURCHASED", token: try fixture.app.order(of: "old"))) == 204
        )
        let body = try ["purchaseToken": fixture.facts.lineage, "stream": fixture.app.stream(of: "new")]
        let posted = try fixture.app.post(Self.path, members: body)
        #expect(posted.status == 409 && posted["error"] == "owned_by_other", "\(posted)")
        #expect(try fixture.app.entitlements(of: "old").contains(#""active":true"#))
    }

    /// What the ledger keeps holds no key, and nothing of it reaches a log.
    @Test func tokenAndStreamAreNotLogged() throws {
        let fixture = try Fixture()
        let stream = try fixture.app.stream(of: "42")
        let refused = try fixture.app.post(Self.path, members: ["purchaseToken": "token.of.nobody", "stream": stream])
        #expect(refused.status == 400 && refused["error"] == "unknown_purchase", "\(refused)")
        _ = try fixture.app.server.process.errorLine { $0.contains("unknown_purchase") }
        #expect(!fixture.app.server.process.errors.contains("token.of.nobody"))
        #expect(!fixture.app.server.process.errors.contains(stream.suffix(40)))
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let body: String
        var isTrusted = true
        let status: Int
        let error: String

        var testDescription: String { "\(error): \(body)" }
    }

    static let refusals = [
        Refusal(body: "[", status: 400, error: "invalid_json"),
        Refusal(body: "{}", status: 400, error: "missing_purchase_token"),
        Refusal(body: #"{"purchaseToken":7}"#, status: 400, error: "invalid_json"),
        Refusal(body: #"{"purchaseToken":""}"#, status: 400, error: "invalid_purchase_token"),
        Refusal(body: ##"{"purchaseToken":"a#b"}"##, status: 400, error: "invalid_purchase_token"),
        Refusal(body: #"{"purchaseToken":"a\u0000b"}"#, status: 400, error: "invalid_purchase_token"),
        Refusal(body: #"{"purchaseToken":"a","purchaseToken":"b"}"#, status: 400, error: "duplicate_member"),
        Refusal(body: #"{"purchaseToken":"a","productId":""}"#, status: 400, error: "invalid_json"),
        Refusal(body: #"{"purchaseToken":"a","order":"1"}"#, status: 400, error: "invalid_json"),
        Refusal(body: #"{"purchaseToken":"a"}"#, isTrusted: false, status: 401, error: "unauthorized"),
        Refusal(
            body: #"{"purchaseToken":"a","stream":"x--y"}"#,
            isTrusted: false,
            status: 403,
            error: "forged_stream_name"
        ),
        Refusal(body: #"{"purchaseToken":"a","package":"com.example.other"}"#, status: 503, error: "wrong_app"),
        Refusal(body: #"{"purchaseToken":"x y?z%"}"#, status: 400, error: "unknown_purchase"),
    ]

    @Test func isRefused() throws {
        let app = try AppPost(["PAYCAST_GOOGLE_PACKAGE": SimulatedGooglePlay.package])
        for refusal in Self.refusals {
            let answer = try app.post(Self.path, body: refusal.body, isTrusted: refusal.isTrusted)
            #expect(answer.status == refusal.status && answer["error"] == refusal.error, "\(refusal): \(answer)")
        }
        let asked = try app.post(Self.path, body: "", headers: [("Origin", "https://evil.example")], method: "OPTIONS")
        #expect(asked.status == 403)
        #expect(try app.post(Self.path, body: "", method: "GET").status == 405)
    }

    @Test func serverWithoutGoogleSaysSo() throws {
        let server = try PaycastServer([], environment: ["PAYCAST_API_KEY": "0123456789abcdef"])
        let socket = try server.connect()
        let body = #"{"purchaseToken":"a"}"#
        let head = "POST \(Self.path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer 0123456789abcdef\r\n"
        try socket.send("\(head)Connection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let answer = String(decoding: try socket.readToEnd(), as: UTF8.self)
        #expect(answer.contains(" 503 ") && answer.contains("not_configured"), "\(answer)")
    }
}
