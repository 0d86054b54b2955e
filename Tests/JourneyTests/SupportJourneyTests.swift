import API
import APIModel
import Domain
import Encoding
import Simulator
import TestSupport
import Testing

/// What support asks about one event, one user's pages and a purchase that nobody has, against the real server.
@Suite(.blocking) struct SupportJourneyTests {
    private static let support = "support-key-0123456789"
    private static let reader = "reader-key-01234567890"
    private static let keys = ["PAYCAST_KEYS": "support:read+act:\(support),reader:read:\(reader)"]

    private func event(_ app: AppPost, _ id: String, query: String = "") throws -> EventAnswer {
        let answer = try app.get("/events/\(id)\(query)")
        #expect(answer.status == 200, "\(answer.body)")
        return try #require(JSON.decode(EventAnswer.self, from: Array(answer.body.utf8)))
    }

    @Test func anEventTellsItsWay() throws {
        let app = try AppPost()
        let token = try #require(try app.order(of: "42"))
        let page = try app.page("42")
        _ = try page.block()
        let purchase = app.purchase("7", token: token)
        let id = try #require(try app.webhook(purchase)["event"])
        _ = try page.message()
        #expect(try app.webhook(purchase)["outcome"] == "duplicate")
        let told = try event(app, id)
        #expect(
            told.event.event == id && told.event.outcome == "applied" && told.newer == nil && told.event.body == nil
        )
        let statement = try #require(told.statement)
        #expect(statement.state == "active" && statement.product == "paycast.pro.monthly")
        #expect(statement.order == token.description && statement.transaction != nil)
        #expect(statement.entitlements == nil && !statement.trial)
        let way = try #require(told.way)
        #expect(way.duplicates == 1 && way.pages == 1)
        let stages = [way.verified, way.committed, way.rendered, way.firstPage, way.lastPage].compactMap { $0 }
        #expect(stages.count == 5 && stages == stages.sorted(), "\(stages)")
        // By its cursor it is the same one.
        #expect(try event(app, told.event.cursor) == told)
        let old = try #require(try app.webhook(app.purchase("7", token: token, ago: 9000))["event"])
        #expect(try event(app, old).newer?.event == id)
    }

    /// The body is another right's, and each look at it is written down.
    @Test func aBodyIsShownToWhoMaySeeIt() throws {
        let app = try AppPost(Self.keys)
        let token = try #require(try app.order(of: "42"))
        let id = try #require(try app.webhook(app.purchase("7", token: token))["event"])
        #expect(try event(app, id, query: "?body=true").event.body?.contains("signedPayload") == true)
        let reader = [("Authorization", "Bearer \(Self.reader)")]
        let refused = try app.post("/events/\(id)?body=true", body: "", headers: reader, method: "GET")
        #expect(refused.status == 403 && refused["message"]?.contains("personal") == true)
        #expect(try app.post("/events/\(id)", body: "", headers: reader, method: "GET").status == 200)
        let audit = try app.get("/audit?user=42").body
        #expect(audit.components(of: #""action":"read""#) == 1, "\(audit)")
    }

    @Test func anEventOfAnEarlierProcessHasNoWay() throws {
        let app = try AppPost()
        let purchase = app.purchase("7")
        let id = try #require(try app.webhook(purchase)["event"])
        try app.server.restart()
        #expect(try event(app, id).way == nil)
        _ = try app.webhook(purchase)
        let way = try #require(try event(app, id).way)
        #expect(way.duplicates == 1 && way.verified == nil && way.committed == nil)
    }

    @Test func pagesAreCountedWhereTheyAreOpen() throws {
        let app = try AppPost()
        let pages = { () throws -> UserPagesAnswer in
            let answer = try app.get("/users/42/pages")
            return try #require(JSON.decode(UserPagesAnswer.self, from: Array(answer.body.utf8)), "\(answer.body)")
        }
        #expect(try pages().pages.isEmpty && pages().shown.isEmpty)
        let token = try #require(try app.order(of: "42"))
        let stream = try app.stream(of: "42")
        let page = try app.page("42")
        _ = try page.block()
        let socket = try PageWebSocket(port: app.server.port, path: "/streams?name=\(stream)")
        _ = try app.webhook(app.purchase("7", token: token))
        _ = try page.message()
        _ = try socket.text()
        let open = try pages()
        #expect(open.pages.map(\.transport).sorted() == ["sse", "websocket"])
        #expect(open.pages.allSatisfy { $0.waitingBytes == 0 && $0.cursor == open.since })
        #expect(open.shown.map(\.target) == ["paywall", "subscription_status"] && !open.node.isEmpty)
        #expect(open.shown.first?.html?.contains(#"id="paywall""#) == true)
    }

    @Test func anUnclaimedPurchaseBecomesTheUsers() throws {
        let app = try AppPost(Self.keys)
        let page = try app.page("42")
        let id = try #require(try app.webhook(app.purchase("7"))["event"])
        let given = try app.claim("42", event: id, key: Self.support)
        #expect(given.status == 200 && given["claim"] == "yours", "\(given.body)")
        #expect(try page.message().data?.contains(#"target="paywall""#) == true)
        #expect(try app.entitlements(of: "42").contains(#""active":true"#))
        // Two people who act on the same purchase: the second one is told.
        let late = try app.claim("43", event: id, key: Self.support)
        #expect(late.status == 409 && late["error"] == "already_owned", "\(late.body)")
        #expect(try app.claim("42", event: id, key: Self.support)["claim"] == "yours")
        let audit = try app.get("/audit").body
        #expect(audit.components(of: #""action":"claim""#) == 1 && audit.contains(#""actor":"support""#), "\(audit)")
        #expect(audit.contains(#""reason":"ticket 7""#))
    }

    struct Refused: Sendable {
        var path: String
        var body = ""
        var method = "GET"
        var status: Int
        var code: String
    }

    private static let refused = [
        Refused(path: "/events/nothing", status: 404, code: "unknown_event"),
        Refused(path: "/events/%E2%84%AA", status: 404, code: "unknown_event"),
        Refused(path: "/events/x?body=maybe", status: 400, code: "invalid_flag"),
        Refused(path: "/events/", status: 404, code: "not_found"),
        Refused(path: "/events/x", method: "DELETE", status: 405, code: "method_not_allowed"),
        Refused(path: "/users/a%0Ab/pages", status: 400, code: "invalid_user"),
        Refused(path: "/users/42/claims", body: "[]", method: "POST", status: 400, code: "invalid_json"),
        Refused(path: "/users/42/claims", body: "{}", method: "POST", status: 400, code: "invalid_json"),
        Refused(
            path: "/users/42/claims",
            body: #"{"event":"x","reason":"for 42"}"#,
            method: "POST",
            status: 400,
            code: "invalid_reason"
        ),
        Refused(
            path: "/users/42/claims",
            body: #"{"event":"x","reason":"ticket"}"#,
            method: "POST",
            status: 404,
            code: "unknown_event"
        ),
    ]

    @Test func whatIsWronglyAskedHasItsAnswer() throws {
        let app = try AppPost()
        for given in Self.refused {
            let answer = try app.post(given.path, body: given.body, isTrusted: true, method: given.method)
            #expect(answer.status == given.status && answer["error"] == given.code, "\(given): \(answer.body)")
        }
        for path in ["/events/x", "/users/42/pages"] {
            #expect(try app.post(path, body: "", method: "GET").status == 401)
        }
        #expect(try app.post("/users/42/claims", body: "{}").status == 401)
        // A test of the store's says nothing of a purchase.
        var test = app.purchase("9")
        test.type = "TEST"
        let id = try #require(try app.webhook(test)["event"])
        let answer = try app.claim("42", event: id, key: app.workspace.apiKey)
        #expect(answer.status == 409 && answer["error"] == "unclaimable_event", "\(answer.body)")
    }
}

extension AppPost {
    fileprivate func claim(_ user: String, event: String, key: String) throws -> Answer {
        let body = AppPost.json(["event": event, "reason": "ticket 7"])
        return try post("/users/\(user)/claims", body: body, headers: [("Authorization", "Bearer \(key)")])
    }
}

extension String {
    fileprivate func components(of part: String) -> Int {
        split(separator: part, omittingEmptySubsequences: false).count - 1
    }
}
