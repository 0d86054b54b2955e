import APIModel
import Domain
import Encoding
import Support
import TestSupport
import Testing

@testable import API

/// The catalog of a real server: what waits for it, who is told when it is corrected, what of it is public, and what is
/// granted by it.
@Suite(.blocking) struct CatalogJourneyTests {
    private let folder = TemporaryFolder()
    private static let product = "paycast.pro.monthly"

    /// `products` are further members of “products”.
    private func write(_ products: String = "") -> String {
        folder.write(
            """
            {"entitlements":{"pro":{"name":"Pro"},"maps":{}},
            "products":{"year":{"entitlements":["pro"],"name":{"en":"A year","de":"Ein Jahr"},"group":"g"},
            "coins":{"kind":"consumable"}\(products)}}
            """,
            to: "catalog.json"
        )
    }

    private static let corrected = #","paycast.pro.monthly":{"entitlements":["maps"]}"#

    private func app(telling backend: AnsweringServer? = nil) throws -> AppPost {
        var environment = ["PAYCAST_CATALOG": write()]
        if let backend {
            environment["PAYCAST_HOOK_URLS"] = backend.url
            environment["PAYCAST_HOOK_SECRETS"] = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
        }
        return try AppPost(environment)
    }

    private func ready(_ app: AppPost) throws -> String {
        try app.post("/ready", body: "", isTrusted: true, method: "GET").body
    }

    /// A buyer whose product nobody has named: `/ready`, `/attention` and the log say so.
    private func expectWaiting(_ app: AppPost) throws {
        try Deadline(.seconds(60)).wait(for: "the warning") { try ready(app).contains("PAYCAST_CATALOG does not name") }
        let told = try ready(app)
        #expect(told.contains("“\(Self.product)” (apple)") && told.contains(#""ready":true"#), "\(told)")
        let attention = try app.post("/attention", body: "", isTrusted: true, method: "GET").body
        let expected = [AttentionAnswer.Unlisted(product: Self.product, provider: "apple", users: 1)]
        #expect(JSON.decode(AttentionAnswer.self, from: Array(attention.utf8))?.unlisted == expected)
        let line = try app.server.process.errorLine { $0.contains("product is not in the catalog") }
        #expect(line.contains("product=\(Self.product)") && line.contains("PAYCAST_CATALOG"))
        let answer = JSON.decode(EntitlementsAnswer.self, from: Array(try app.entitlements(of: "42").utf8))
        #expect(answer?.entitlements.values.contains(where: \.active) == false)
        #expect(answer?.contracts.map(\.entitlements) == [[]])
    }

    private func expectTold(_ app: AppPost, _ page: EventStreamClient, by backend: AnsweringServer) throws {
        let swap = try page.message().data ?? ""
        #expect(swap.contains(#"target="paywall_maps""#) && swap.contains(#"data-state="active""#), "\(swap)")
        let told = { (message: HookMessage) in message.data.cause?.kind == "catalog.changed" }
        try Deadline(.seconds(60)).wait(for: "the backend") { messages(backend).contains(where: told) }
        let message = try #require(messages(backend).first(where: told))
        #expect(message.data.user == "42" && message.data.entitlements?["maps"]?.active == true)
        #expect(message.data.active == false, "the main entitlement is another one")
        let answer = try #require(
            JSON.decode(EntitlementsAnswer.self, from: Array(try app.entitlements(of: "42").utf8))
        )
        #expect(message.data.entitlements == answer.entitlements && message.data.contracts == answer.contracts)
        try Deadline(.seconds(60)).wait(for: "no warning") { try !ready(app).contains("PAYCAST_CATALOG does not name") }
    }

    private func messages(_ backend: AnsweringServer) -> [HookMessage] {
        backend.requests.compactMap { JSON.decode(HookMessage.self, from: Array($0.body.utf8)) }
    }

    /// Without a webhook: the open page and the backend are told what a corrected catalog opens.
    @Test func aReloadTellsWhoWaits() throws {
        let backend = AnsweringServer { _ in .init(200) }
        let app = try app(telling: backend)
        _ = try app.webhook(app.purchase("7", token: try app.order(of: "42")))
        let page = try app.page("42")
        try expectWaiting(app)
        _ = write(Self.corrected)
        app.server.process.send(.hangUp)
        try expectTold(app, page, by: backend)
    }

    /// A start with another catalog is as good as a reload.
    @Test func aStartTellsWhoWaits() throws {
        let backend = AnsweringServer { _ in .init(200) }
        let app = try app(telling: backend)
        _ = try app.webhook(app.purchase("7", token: try app.order(of: "42")))
        try expectWaiting(app)
        _ = write(Self.corrected)
        try app.server.restart()
        try expectTold(app, try app.page("42"), by: backend)
        // Once: another start with the same catalog says nothing.
        let count = messages(backend).count
        try app.server.restart()
        _ = try app.grant("43", #"{"entitlement":"pro","days":1,"reason":"x"}"#)
        try Deadline(.seconds(60)).wait(for: "the grant") { messages(backend).count > count }
        #expect(messages(backend).dropFirst(count).map(\.data.user) == ["43"])
    }

    /// What an app shows in its offers, without a key and for any origin.
    @Test func theCatalogIsPublic() throws {
        let app = try app()
        let get = { (path: String, headers: [(String, String)]) in
            try app.post(path, body: "", headers: headers, method: "GET")
        }
        let answer = try get("/catalog", [("Origin", "https://elsewhere.example")])
        #expect(
            answer.body
                == #"{"entitlements":[{"name":"pro","title":"Pro"},{"name":"maps","title":null}],"products":["#
                + #"{"entitlements":["pro"],"group":"g","id":"year","kind":null,"name":"A year"},"#
                + #"{"entitlements":[],"group":null,"id":"coins","kind":"consumable","name":null}]}"#
        )
        #expect(answer.status == 200 && answer.head.contains("Access-Control-Allow-Origin: *"))
        let tag = try #require(answer.head.split(separator: "\r\n").first { $0.hasPrefix("ETag: ") }?.dropFirst(6))
        let german = try get("/catalog?locale=de-AT", [("If-None-Match", String(tag))])
        #expect(german.status == 200 && german.body == answer.body.replacing("A year", with: "Ein Jahr"))
        let known = try get("/catalog?locale=fr", [("If-None-Match", String(tag))])
        #expect(known.status == 304 && known.body.isEmpty)
        let refused = try get("/catalog?locale=d_", [])
        #expect(refused.status == 400 && refused["error"] == "invalid_locale")
        #expect(refused.head.contains("Access-Control-Allow-Origin: *"))
        _ = write(Self.corrected)
        app.server.process.send(.hangUp)
        _ = try app.server.process.errorLine { $0.contains(" reloaded ") }
        let other = try get("/catalog", [("If-None-Match", String(tag))])
        #expect(other.status == 200 && other.body.contains(Self.product))
    }

    /// An entitlement by its name, or what the catalog says of a product; never nothing.
    @Test func whatIsGrantedOpensSomething() throws {
        let app = try app()
        let page = try app.page("42")
        let words = ["grant", "--user", "42", "--entitlement", "maps", "--days", "30", "--reason", "ticket 7"]
        let printed = try PrintedAnswer(app.server.paycast(words))
        #expect(try printed["entitlement"] == "maps")
        #expect(try printed["opens"] == "maps")
        #expect(try page.message().data?.contains(#"target="paywall_maps""#) == true)
        let events: UserEventsAnswer = try get("/users/42/events", of: app)
        #expect(events.events.first?.entitlements?.filter(\.value.active).keys.sorted() == ["maps"])
        let event: EventAnswer = try get("/events/\(events.events.first?.cursor ?? "")", of: app)
        #expect(event.statement?.entitlements == ["maps"] && event.event == events.events.first)
        let revoked = try app.revoke("42", try printed["grant"])
        #expect(revoked.status == 200 && revoked["entitlement"] == "maps", "\(revoked.body)")
        let month = #""days":30,"reason":"ticket 7"}"#
        let year = try app.grant("42", #"{"product":"year","# + month, key: "k")
        #expect(year.status == 201 && year.body.contains(#""entitlements":["pro"]"#), "\(year.body)")
        #expect(try app.grant("42", #"{"product":"year","# + month, key: "k").body == year.body)
        let other = try app.grant("42", #"{"entitlement":"pro","# + month, key: "k")
        #expect(other["error"] == "idempotency_key_reused", "\(other.body)")
        for (body, code, words) in [
            (#"{"entitlement":"map","#, "unknown_entitlement", "pro, maps; did you mean “maps”?"),
            (#"{"entitlement":"default","#, "unknown_entitlement", "no entitlement “default”"),
            (#"{"product":"yaer","#, "opens_nothing", "did you mean “year”?"),
            (#"{"product":"coins","#, "opens_nothing", "“coins” opens nothing"),
        ] {
            let refused = try app.grant("42", body + month)
            #expect(refused.status == 422 && refused["error"] == code, "\(refused.body)")
            #expect(refused["message"]?.contains(words) == true, "\(refused.body)")
        }
        for body in [#"{"product":"year","entitlement":"pro","#, "{"] {
            #expect(try app.grant("42", body + month).status == 400)
        }
    }

    private func get<Answer: Decodable>(_ path: String, of app: AppPost) throws -> Answer {
        let body = try app.post(path, body: "", isTrusted: true, method: "GET").body
        return try #require(JSON.decode(Answer.self, from: Array(body.utf8)), "\(body)")
    }

    /// Whoever owns something for ever is told that a renewal has failed, also where both open the same.
    @Test func whatIsOwnedHidesNoFailedPayment() throws {
        let server = try PaycastServer()
        let pro = ["--user", "9", "--product", "pro"]
        for words in [
            ["ONE_TIME_CHARGE", "--kind", "non_consumable", "--user", "9", "--product", "wallpaper"],
            ["initial"] + pro, ["grace"] + pro + ["--expect", "warn_billing"],
        ] {
            let trigger = server.paycast(["trigger", "apple"] + words)
            #expect(try trigger.waitForExit(timeout: .seconds(60)) == 0, "\(trigger.errors)")
        }
    }

    /// Who sells one thing grants `default`, or any product.
    @Test func withoutACatalogThereIsOneEntitlement() throws {
        let app = try AppPost()
        let month = #""days":30,"reason":"ticket 7"}"#
        #expect(try app.grant("42", #"{"entitlement":"default","# + month).status == 201)
        #expect(try app.grant("43", #"{"product":"anything","# + month).status == 201)
        #expect(try app.grant("44", #"{"entitlement":"pro","# + month)["error"] == "unknown_entitlement")
        for user in ["42", "43"] {
            let answer = JSON.decode(EntitlementsAnswer.self, from: Array(try app.entitlements(of: user).utf8))
            #expect(answer?.entitlements["default"]?.active == true && answer?.active == true)
        }
    }
}
