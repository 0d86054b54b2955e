import Domain
import Simulator
import Support
import TestSupport
import Testing

/// What the Play Billing library gave an app, before, after and beside Google's push.
@Suite(.blocking) struct GooglePostJourneyTests {
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
            let delivery = try delivery(type, token: token)
            for answer in try tell(delivery) { #expect(answer.status == 200, "\(answer)") }
            return delivery
        }

        func delivery(_ type: String, token: OrderToken?) throws -> SimulatedDelivery {
            let words = type.split(separator: "/").map(String.init)
            return try google.delivery(
                SimulatedEvent(
                    type: words[0],
                    subtype: words.count > 1 ? words[1] : nil,
                    facts: facts,
                    token: token,
                    now: Clock().now()
                )
            )
        }

        /// The stand-in's answers to what it is told.
        func tell(_ delivery: SimulatedDelivery) throws -> [AppPost.Answer] {
            try delivery.documents.map { document in
                let body = String(decoding: document.json, as: UTF8.self)
                return try app.post("/demo/api/google" + document.path, body: body, method: "PUT")
            }
        }

        /// A subscription that 42 has bought with an order, which is returned; or without an id, and has claimed.
        mutating func isOwned(state: ContractState = .active, hasID: Bool = true) throws -> OrderToken? {
            let first = hasID ? try app.order(of: "42") : nil
            #expect(try push(try buy("SUBSCRIPTION_PURCHASED", token: first)) == 204)
            let claim = try ["purchaseToken": facts.lineage, "stream": app.stream(of: "42")]
            if !hasID { #expect(try app.post(GooglePostJourneyTests.path, members: claim)["claim"] == "yours") }
            facts.state = state
            facts.accessUntil = Clock().now() + .seconds(86_400)
            if state == .cancelled { #expect(try push(try buy("SUBSCRIPTION_CANCELED", token: first)) == 204) }
            if state == .expired { #expect(try push(try buy("SUBSCRIPTION_EXPIRED", token: first)) == 204) }
            return first
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
        #expect(posted["outcome"] == "applied" && posted["claim"] == "yours", "\(posted)")
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
        #expect(try fixture.app.post(Self.path, members: forUser, isTrusted: true)["claim"] == "yours")
        #expect(try fixture.app.entitlements(of: "7").contains(#""active":true"#))
        #expect(try fixture.app.post(Self.path, members: forUser).status == 401, "a user without the key")
    }

    @Test(arguments: [true, false]) func onlyATapMovesIt(hasOrder: Bool) throws {
        let fixture = try Fixture()
        let app = fixture.app
        let bought = try fixture.buy("SUBSCRIPTION_PURCHASED", token: hasOrder ? try app.order(of: "ann") : nil)
        #expect(try fixture.push(bought) == 204)
        func post(_ user: String, isAsked: Bool = false) throws -> AppPost.Answer {
            let body = try ["purchaseToken": fixture.facts.lineage, "stream": app.stream(of: user)]
            return try app.post(Self.path, members: body, isAsked: isAsked)
        }
        for (user, claim) in [("ann", "yours"), ("bob", "others"), ("ann", "yours")] {
            let posted = try post(user)
            #expect(posted.status == 200 && posted["claim"] == claim, "\(user): \(posted)")
        }
        #expect(try app.entitlements(of: "ann").contains(#""active":true"#))
        #expect(try post("bob", isAsked: true)["claim"] == "yours")
        #expect(try post("ann")["claim"] == "others")
        #expect(try app.entitlements(of: "bob").contains(#""active":true"#))
    }

    @Test func whatIsKeptForItsUserIsRefusedToOthers() throws {
        let fixture = try Fixture(environment: ["PAYCAST_TRANSFERS": "keep"])
        #expect(
            try fixture.push(try fixture.buy("SUBSCRIPTION_PURCHASED", token: try fixture.app.order(of: "old"))) == 204
        )
        let body = try ["purchaseToken": fixture.facts.lineage, "stream": fixture.app.stream(of: "new")]
        let posted = try fixture.app.post(Self.path, members: body, isAsked: true)
        #expect(posted.status == 409 && posted["error"] == "owned_by_other", "\(posted)")
        #expect(try fixture.app.entitlements(of: "old").contains(#""active":true"#))
    }

    struct Second: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let type: String
        var state = ContractState.active
        /// Whether the first purchase, and so the second one, carries the first order's UUID.
        var hasID = true
        var poster = "42"
    }

    /// The second purchase carries the id of the first; the new order comes with the post alone.
    @Test(
        arguments: [
            Second(testDescription: "another plan", type: "SUBSCRIPTION_PURCHASED/upgrade"),
            Second(testDescription: "another plan, no id", type: "SUBSCRIPTION_PURCHASED/upgrade", hasID: false),
            Second(testDescription: "again in the app", type: "SUBSCRIPTION_PURCHASED/again", state: .cancelled),
            Second(testDescription: "again in the store", type: "SUBSCRIPTION_PURCHASED/resubscribe", state: .expired),
            Second(
                testDescription: "another user of the store account",
                type: "SUBSCRIPTION_PURCHASED/again",
                state: .cancelled,
                poster: "43"
            ),
        ],
        [true, false]
    )
    func secondPurchaseIsTheNewOrders(_ second: Second, isPushedFirst: Bool) throws {
        var fixture = try Fixture()
        let first = try fixture.isOwned(state: second.state, hasID: second.hasID)
        let delivery = try fixture.buy(second.type, token: first)
        if isPushedFirst {
            #expect(try fixture.push(delivery) == 204)
            #expect(try fixture.app.entitlements(of: "42").contains(#""active":true"#))
        }
        let product = second.type.hasSuffix("upgrade") ? "paycast.pro.annual" : "paycast.pro.monthly"
        let members = ["user": second.poster, "product": product, "token": OrderToken.random().description]
        let order = try fixture.app.post("/orders", members: members, isTrusted: true)
        let body = [
            "purchaseToken": SimulatedGooglePlay.successor(of: fixture.facts.lineage),
            "stream": order["signed_stream"] ?? "", "order": order["order"] ?? "",
        ]
        let posted = try fixture.app.post(Self.path, members: body, isAsked: true)
        #expect(posted.status == 200 && posted["claim"] == "yours", "\(posted)")
        if !isPushedFirst { #expect(try fixture.push(delivery) == 204) }
        #expect(try fixture.app.entitlements(of: second.poster).contains(#""active":true"#))
        // Google tells that the first one has ended with it.
        #expect(try fixture.push(try fixture.buy("SUBSCRIPTION_EXPIRED/replaced", token: first)) == 204)
        let isStill42s = second.poster == "42"
        #expect(try fixture.app.entitlements(of: "42").contains(#""active":true"#) == isStill42s)
        let record = try fixture.app.post("/orders/\(body["order"] ?? "")", body: "", isTrusted: true, method: "GET")
        #expect(record["state"] == "fulfilled", "\(record)")
    }

    /// The stand-in takes such a purchase for what Google Play never sells.
    @Test func anotherAccountIDIsRefused() throws {
        var fixture = try Fixture()
        _ = try fixture.isOwned(state: .cancelled)
        let other = try fixture.app.order(of: "43")
        let answers = try fixture.tell(try fixture.delivery("SUBSCRIPTION_PURCHASED/again", token: other))
        #expect(answers[0].status == 400 && answers[0].body.contains("identifiers don't match"), "\(answers)")
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
        Refusal(body: #"{"purchaseToken":"a","asked":"true"}"#, status: 400, error: "invalid_json"),
        Refusal(body: #"{"purchaseToken":"a","asked":1}"#, status: 400, error: "invalid_json"),
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
