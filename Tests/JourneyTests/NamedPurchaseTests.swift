import APIModel
import Domain
import Encoding
import Simulator
import Support
import TestSupport
import Testing

/// What a backend knows only by the store's id: the store is asked.
@Suite(.blocking) struct NamedPurchaseTests {
    enum Kind: String, CaseIterable, Sendable {
        case apple, token, order, stripe
    }

    /// A purchase that the store knows, and no webhook has told of.
    struct Fixture {
        let app: AppPost
        let path: String
        let members: [String: String]
        private let stripe: AnsweringServer

        init(_ kind: Kind, environment: [String: String] = [:]) throws {
            stripe = AnsweringServer(StripeList.answer)
            let settings = ["PAYCAST_STRIPE_API_KEY": "rk_test_1", "PAYCAST_STRIPE_API_URL": stripe.url]
            app = try AppPost(environment.merging(settings) { $1 })
            switch kind {
            case .apple:
                #expect(try app.remember(app.purchase("1000000000000001", ago: 30)).status == 200)
                (path, members) = ("/transactions/apple", ["transactionId": "1000000000000001"])
            case .token, .order:
                let order = try Fixture.buyAtGoogle(app)
                path = "/transactions/google"
                members = kind == .token ? ["purchaseToken": "google.token.1"] : ["orderId": order]
            case .stripe: (path, members) = ("/transactions/stripe", ["subscription": "sub_1"])
            }
        }

        /// Returns the number of the order.
        private static func buyAtGoogle(_ app: AppPost) throws -> String {
            let facts = SimulatedSubscription(product: "paycast.pro.monthly", lineage: "google.token.1")
            let event = SimulatedEvent(type: "SUBSCRIPTION_PURCHASED", facts: facts, now: Clock().now())
            let delivery = try SimulatedGooglePlay(key: app.workspace.google).delivery(event)
            let document = try #require(delivery.documents.first)
            let body = String(decoding: document.json, as: UTF8.self)
            #expect(try app.post("/demo/api/google" + document.path, body: body, method: "PUT").status == 200)
            return try #require(JSONNode(document.json)?["latestOrderId"]?.text)
        }

        func post(_ more: [String: String], isAsked: Bool = false, isImported: Bool = true, isTrusted: Bool = true)
            throws
            -> AppPost.Answer
        {
            let body = AppPost.json(members.merging(more) { $1 }, isAsked: isAsked)
            let flag = isImported ? #","import":true}"# : "}"
            return try app.post(path, body: body.dropLast() + flag, isTrusted: isTrusted)
        }
    }

    @Test(arguments: Kind.allCases) func theStoreIsAsked(_ kind: Kind) throws {
        let fixture = try Fixture(kind)
        let page = try fixture.app.page("42")
        let first = try fixture.post(["user": "42"])
        #expect(first.status == 200 && first["outcome"] == "applied" && first["claim"] == "yours", "\(first)")
        #expect(try fixture.app.entitlements(of: "42").contains(#""active":true"#))
        let told = try fixture.app.told(page, of: "42").joined()
        #expect(told.contains("The full version is yours") && !told.contains("Welcome"), "\(told)")
        let again = try fixture.post(["user": "42"])
        #expect(again["claim"] == "yours" && again["outcome"] != "applied", "\(again)")
        #expect(try fixture.app.told(page, of: "42").isEmpty)
    }

    @Test(arguments: Kind.allCases) func itIsNeverMovedUnlessSaid(_ kind: Kind) throws {
        let fixture = try Fixture(kind)
        #expect(try fixture.post(["user": "ann"])["claim"] == "yours")
        #expect(try fixture.post(["user": "bob"])["claim"] == "others")
        #expect(try fixture.post(["user": "bob"], isAsked: true)["claim"] == "yours")
        #expect(try fixture.app.entitlements(of: "ann").contains(#""active":false"#))
        #expect(try fixture.app.entitlements(of: "bob").contains(#""active":true"#))
    }

    @Test(arguments: Kind.allCases) func thePolicyMayKeepIt(_ kind: Kind) throws {
        let fixture = try Fixture(kind, environment: ["PAYCAST_TRANSFERS": "keep"])
        #expect(try fixture.post(["user": "ann"])["claim"] == "yours")
        #expect(try fixture.post(["user": "bob"], isAsked: true)["error"] == "owned_by_other")
    }

    /// An id is no proof: whoever has seen a receipt knows one.
    @Test(arguments: [Kind.apple, .order, .stripe]) func onlyTheBackendMayNameIt(_ kind: Kind) throws {
        let fixture = try Fixture(kind)
        let stream = try fixture.app.stream(of: "thief")
        for isImported in [true, false] {
            let posted = try fixture.post(["stream": stream], isImported: isImported, isTrusted: false)
            #expect(posted.status == 401 && posted["error"] == "unauthorized", "\(posted)")
        }
        #expect(try fixture.app.entitlements(of: "thief").contains(#""active":false"#))
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var path: String
        var body: String
        var status = 400
        var error: String

        var testDescription: String { path + " " + body }
    }

    @Test(arguments: [
        Refusal(path: "apple", body: #"{"transactionId":"1000000000000009"}"#, error: "unknown_purchase"),
        Refusal(path: "apple", body: #"{"transactionId":"2.0E+15"}"#, error: "invalid_json"),
        Refusal(path: "apple", body: #"{"transactionId":1000000000000001}"#, error: "invalid_json"),
        Refusal(
            path: "apple",
            body: #"{"transactionId":"1000000000000001","signedTransaction":"x"}"#,
            error: "missing_signed_transaction"
        ),
        Refusal(
            path: "apple",
            body: #"{"transactionId":"1000000000000001","app":"com.other"}"#,
            status: 503,
            error: "wrong_app"
        ),
        Refusal(path: "apple", body: #"{"transactionId":"1000000000000001","import":true}"#, error: "invalid_user"),
        Refusal(path: "apple", body: #"{"transactionId":"1000000000000001","import":1}"#, error: "invalid_json"),
        Refusal(path: "google", body: #"{"orderId":"GPA.0000-1111-2222-33333"}"#, error: "unknown_purchase"),
        Refusal(path: "google", body: #"{"orderId":"../../x"}"#, error: "invalid_json"),
        Refusal(path: "google", body: #"{"orderId":"GPA.1-2","purchaseToken":"t"}"#, error: "missing_purchase_token"),
        Refusal(path: "stripe", body: #"{"subscription":"sub_gone"}"#, error: "unknown_purchase"),
        Refusal(path: "stripe", body: #"{"subscription":"cus_1"}"#, error: "invalid_json"),
        Refusal(path: "stripe", body: #"{"subscription":"sub_1/../../charges"}"#, error: "invalid_json"),
        Refusal(path: "stripe", body: "{}", error: "invalid_json"),
        Refusal(
            path: "stripe",
            body: #"{"subscription":"sub_1","account":"acct_1"}"#,
            status: 503,
            error: "wrong_app"
        ),
    ]) func isRefused(_ refusal: Refusal) throws {
        let fixture = try Fixture(.apple)
        let posted = try fixture.app.post("/transactions/\(refusal.path)", body: refusal.body, isTrusted: true)
        #expect(posted.status == refusal.status && posted["error"] == refusal.error, "\(posted)")
    }

    @Test func withoutAKeyItSaysWhich() throws {
        let app = try AppPost()
        let posted = try app.post("/transactions/stripe", members: ["subscription": "sub_1"], isTrusted: true)
        #expect(posted.status == 422 && posted["error"] == "store_api_needed", "\(posted)")
        #expect(posted["message"]?.contains("PAYCAST_STRIPE_API_KEY") == true)
    }

    struct Silence: Sendable {
        /// What the address names, after its `#`.
        var types: String
        /// `USER TYPE` of each message, sorted.
        var told: [String]
    }

    /// The backend hands nothing out again for what it imports, and books nothing again; what happens afterwards it is told.
    @Test(arguments: [
        Silence(types: "", told: ["ann entitlements.changed", "bob entitlements.changed"]),
        Silence(
            types: "#entitlements.changed+purchase.made+purchase.refunded",
            told: ["ann entitlements.changed", "bob entitlements.changed", "bob purchase.made"]
        ),
    ]) func hooksAreSilentAboutWhatIsImported(_ given: Silence) throws {
        let backend = AnsweringServer { _ in .init(200) }
        let fixture = try Fixture(
            .apple,
            environment: [
                "PAYCAST_HOOK_URLS": backend.url + given.types,
                "PAYCAST_HOOK_SECRETS": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            ]
        )
        #expect(try fixture.post(["user": "ann"])["outcome"] == "applied")
        // From ann, who is told, to bob, who is not.
        #expect(try fixture.post(["user": "bob"], isAsked: true)["claim"] == "yours")
        // The statement names a new period: that is a charge, too.
        var ended = fixture.app.purchase("1000000000000001", ago: 0)
        (ended.type, ended.subtype) = ("DID_CHANGE_RENEWAL_STATUS", "AUTO_RENEW_DISABLED")
        ended.facts.state = .active
        #expect(try fixture.app.webhook(ended)["outcome"] == "applied")
        try Deadline(.seconds(60)).wait(for: "the messages") { backend.requests.count >= given.told.count }
        let messages = backend.requests.compactMap { JSON.decode(HookMessage.self, from: Array($0.body.utf8)) }
        let told = messages.map { message in "\(message.data.user?.text ?? "") \(message.type)" }
        #expect(told.sorted() == given.told, "\(told)")
    }

    /// The list may be from before the erasure.
    @Test func nobodyWhoWasErasedComesBack() throws {
        let fixture = try Fixture(.apple)
        #expect(try fixture.post(["user": "ann"])["claim"] == "yours")
        #expect(try fixture.app.post("/users/ann", body: "", isTrusted: true, method: "DELETE").status == 200)
        #expect(try fixture.post(["user": "ann"])["claim"] == "nobody")
        #expect(try fixture.app.entitlements(of: "ann").contains(#""active":false"#))
        #expect(try fixture.post(["user": "ann"], isImported: false)["claim"] == "yours")
    }

    /// A whole history, of which the newest word counts, is one change on a page and one act.
    @Test func aLongHistoryIsToldOnce() throws {
        let fixture = try Fixture(.apple)
        let page = try fixture.app.page("42")
        for month in 1...3 {
            var renewal = fixture.app.purchase("1000000000000001", ago: Int64(30 - month))
            (renewal.type, renewal.subtype) = ("DID_RENEW", nil)
            renewal.facts.state = .active
            #expect(try fixture.app.remember(renewal).status == 200)
        }
        #expect(try fixture.post(["user": "42"])["outcome"] == "applied")
        #expect(try fixture.app.told(page, of: "42").filter { $0.contains(#"target="paywall""#) }.count == 1)
        let acts = try fixture.app.get("/audit?user=42").body
        #expect(acts.ranges(of: #""action":"claim""#).count == 1, "\(acts)")
    }
}

/// Subscriptions at Stripe, whichever is asked for: `sub_gone…` was never there.
enum StripeList {
    /// One for all answers: a period that ends a second later is news.
    private static let now = Clock().now().seconds

    static func answer(_ request: AnsweringServer.Request) -> AnsweringServer.Answer {
        guard let id = request.path.split(separator: "/").last, !id.hasPrefix("sub_gone") else {
            return .init(404, body: #"{"error":{"code":"resource_missing"}}"#)
        }
        let period = #""current_period_start":\#(now - 86_400),"current_period_end":\#(now + 86_400)"#
        let price =
            #"{"id":"price_1","object":"price","type":"recurring","product":"prod_1","unit_amount":999,"currency":"usd"}"#
        let item = #"{"id":"si_1","object":"subscription_item","quantity":1,"price":\#(price),\#(period)}"#
        return .init(
            200,
            body: """
                {"id":"\(id)","object":"subscription","livemode":false,"status":"active","customer":"cus_\(id)",
                "cancel_at_period_end":false,"metadata":{},\(period),
                "items":{"object":"list","has_more":false,"data":[\(item)]}}
                """
        )
    }
}
