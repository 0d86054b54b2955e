import APIModel
import Domain
import Encoding
import Simulator
import TestSupport
import Testing

/// Where a page goes after the purchase, and the app's own words: from the order to all who hear of the purchase.
@Suite(.blocking) struct OrderContextTests {
    private static let words = #""success_url":"/thanks?a=1&b=2","metadata":{"cart":"7 <b>","Empty_1":""}"#

    private func order(_ members: String, at app: AppPost, user: String = "42") throws -> AppPost.Answer {
        let body = #"{"user":"\#(user)","product":"paycast.pro.monthly",\#(members)}"#
        return try app.post("/orders", body: body, isTrusted: true)
    }

    private func token(_ answer: AppPost.Answer) throws -> OrderToken {
        try #require(answer["order"].flatMap { OrderToken($0) }, "\(answer.body)")
    }

    @Test func comesBackWithThePurchase() throws {
        let backend = AnsweringServer { _ in .init(200) }
        let app = try AppPost([
            "PAYCAST_HOOK_URLS": backend.url, "PAYCAST_HOOK_SECRETS": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        ])
        let answer = try order(OrderContextTests.words, at: app)
        #expect(answer.status == 201)
        let token = try token(answer)
        let page = try app.page("42")
        let feed = try EventStreamClient(
            port: app.server.port,
            path: "/feed?user=42",
            headers: [("Authorization", "Bearer \(app.workspace.apiKey)")]
        )
        #expect(try feed.block().id != nil)
        _ = try app.webhook(app.purchase("7", token: token))
        let shown = try page.message().data ?? ""
        let visit = #"data-paycast-visit="/thanks?a=1&amp;b=2" data-paycast-bought="\#(token)""#
        #expect(shown.contains(visit), "\(shown)")
        try app.server.restart()
        let entries = try [feed.message().data ?? "", app.get("/users/42/events").body]
        let item = try app.get("/orders/\(token)")
        try Deadline(.seconds(60)).wait(for: "a message") { !backend.requests.isEmpty }
        let cause = JSONNode(backend.requests[0].body)?["data"]?["cause"]
        #expect(cause?["order"]?.text == "\(token)")
        let told = [JSONNode(entries[0]), JSONNode(entries[1])?["events"]?.items?.first, item.json, cause]
        for node in told {
            #expect(node?["success_url"]?.text == "/thanks?a=1&b=2", "\(entries) \(item.body)")
            #expect(node?["metadata"]?.texts == ["cart": "7 <b>", "Empty_1": ""])
        }
        // What comes later is no purchase to go on from.
        _ = try app.webhook(app.purchase("8", token: nil))
        let orders = try app.get("/users/42").json?["orders"]?.items ?? []
        #expect(orders.contains { $0["metadata"]?["cart"]?.text == "7 <b>" })
        #expect(try app.post("/users/42", body: "", isTrusted: true, method: "DELETE").status == 200)
        #expect(try !app.get("/events").body.contains("7 <b>"))
    }

    /// It belongs to one order: with anything else, it is another one.
    @Test func theSameRequestGivesTheSameOrder() throws {
        let app = try AppPost()
        let first = try token(order(OrderContextTests.words, at: app))
        let turned = #""metadata":{"Empty_1":"","cart":"7 <b>"},"success_url":"/thanks?a=1&b=2""#
        #expect(try token(order(turned, at: app)) == first)
        #expect(try token(order(#""success_url":"/thanks""#, at: app)) != first)
        #expect(try token(order(#""success_url":null"#, at: app)) != first)
        // An app's own token names one order, which has the newest.
        let own = OrderToken.random()
        for words in [#""metadata":{"a":"1"}"#, #""metadata":{"a":"2"}"#, #""kind":null"#] {
            #expect(try token(order("\(words),\"token\":\"\(own)\"", at: app)) == own)
        }
        #expect(try app.get("/orders/\(own)").json?["metadata"]?["a"]?.text == "2")
    }

    /// A purchase may go to somebody else, who has not ordered.
    @Test func anotherUserIsSentNowhere() throws {
        let app = try AppPost()
        let token = try token(order(OrderContextTests.words, at: app))
        let purchase = app.purchase("7", token: token)
        _ = try app.webhook(purchase)
        let page = try app.page("43")
        let members = try ["signedTransaction": app.store.transaction(purchase), "stream": app.stream(of: "43")]
        #expect(try app.post("/transactions/apple", members: members, isAsked: true).status == 200)
        let shown = try page.message().data ?? ""
        #expect(shown.contains(#"data-paycast-visit="" data-paycast-bought="\#(token)""#), "\(shown)")
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var member: String
        var code = "invalid_success_url"
        var testDescription: String { String(member.prefix(80)) }
    }

    private static let foreign = [
        "javascript:alert(1)", "//evil.example/", "/\\\\evil.example", "\\\\\\\\evil.example", "https:/evil.example",
        "https:evil.example", "https://evil.example/", "https://shop.example@evil.example/",
        "https://shop.example:1@evil.example", "https://shop.example.evil.example", "http://shop.example/",
        "https://shop.example:8443/", "https:///shop.example", "/\\u0009/evil.example", "thanks", "", "/größe", "/a b",
        " https://shop.example", "data:text/html,x", "/" + String(repeating: "x", count: 2048),
    ].map { Refusal(member: #""success_url":"\#($0)""#) }

    private static let long = String(repeating: "x", count: 500)
    private static let unfit = [
        #"["a"]"#, #""a""#, #"{"a":1}"#, #"{"a":null}"#, #"{"a b":"x"}"#, #"{"":"x"}"#, #"{"ü":"x"}"#,
        "{\"a\":\"\\u0000\"}", "{\"\(String(repeating: "a", count: 41))\":\"\"}",
        "{\"a\":\"\(String(repeating: "x", count: 501))\"}",
        "{\"a\":\"\(long)\",\"b\":\"\(long)\",\"c\":\"\(String(repeating: "x", count: 22))\"}",
    ].map { Refusal(member: #""metadata":\#($0)"#, code: "invalid_metadata") }

    @Test func whatIsUnfitIsRefused() throws {
        let app = try AppPost(["PAYCAST_ALLOWED_ORIGINS": "https://shop.example,https://two.example:8443"])
        for refusal in OrderContextTests.foreign + OrderContextTests.unfit {
            let answer = try order(refusal.member, at: app)
            #expect(answer.status == 400 && answer["error"] == refusal.code, "\(refusal): \(answer.body)")
        }
        let fit = [
            "/", "/thanks?x=%C3%BC#a", "https://shop.example", "HTTPS://Shop.Example:443/thanks@home", "/a//b",
            "https://two.example:8443/x", "http://127.0.0.1:\(app.server.port)/thanks",
            "/" + String(repeating: "x", count: 2047),
        ]
        for address in fit {
            let answer = try order(#""success_url":"\#(address)""#, at: app)
            #expect(answer.status == 201, "\(address): \(answer.body)")
        }
        #expect(try order(#""metadata":{"a":"\#(String(repeating: "x", count: 500))"}"#, at: app).status == 201)
        #expect(try order(#""metadata":{}"#, at: app).status == 201)
    }

    /// That pages of all sites may follow is no reason to send a buyer to any of them.
    @Test func aWildcardListsNoOrigin() throws {
        let app = try AppPost(["PAYCAST_ALLOWED_ORIGINS": "*"])
        for address in ["https://evil.example/", "http://127.0.0.1:1/", "https://shop.example"] {
            let answer = try order(#""success_url":"\#(address)""#, at: app)
            #expect(answer.status == 400 && answer["error"] == "invalid_success_url", "\(address): \(answer.body)")
        }
        for address in ["/thanks", "http://127.0.0.1:\(app.server.port)/thanks"] {
            #expect(try order(#""success_url":"\#(address)""#, at: app).status == 201, "\(address)")
        }
    }
}
