import API
import APIModel
import Domain
import Encoding
import Simulator
import TestSupport
import Testing

/// The console's pages of events against the real server, and their live list over a socket.
@Suite(.blocking) struct ConsoleLiveJourneyTests {
    private static let key = "ops-key-0123456789abcdef"
    private static let keys = ["PAYCAST_KEYS": "ops:read+operate+personal:\(key),support:read:support-key-0123456789"]

    /// A browser that has logged in.
    private struct Browser {
        let app: AppPost
        let cookie: String

        init(_ app: AppPost, key: String = ConsoleLiveJourneyTests.key) throws {
            self.app = app
            let answer = try app.post(
                "/console/session",
                body: "key=\(key)",
                headers: [("Sec-Fetch-Site", "same-origin"), ("Content-Type", "application/x-www-form-urlencoded")]
            )
            let line = answer.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("set-cookie: ") }
            cookie = String(try #require(line, "\(answer.head)").dropFirst(12).prefix { $0 != ";" })
        }

        func get(_ path: String) throws -> AppPost.Answer {
            try app.post(path, body: "", headers: [("Cookie", cookie)], method: "GET")
        }

        func live(_ query: String) throws -> EventStreamClient {
            try EventStreamClient(
                port: app.server.port,
                path: "/console/live/stream?\(query)",
                headers: [("Cookie", cookie)]
            )
        }
    }

    private func cursor(_ page: String) throws -> String {
        let rest = try #require(page.components(after: #"id="live-cursor" data-cursor=""#), "\(page)")
        return String(rest.prefix { $0 != "\"" })
    }

    @Test func aNewEventBecomesARow() throws {
        let app = try AppPost(Self.keys)
        let browser = try Browser(app)
        let since = try cursor(try browser.get("/console/live").body)
        let all = try browser.live("since=\(since)")
        let apple = try browser.live("provider=apple&outcome=unclaimed&since=\(since)")
        let google = try browser.live("provider=google&since=\(since)")
        for list in [all, apple, google] { _ = try list.block() }
        let id = try #require(try app.webhook(app.purchase("7"))["event"])
        for list in [all, apple] {
            let row = try list.message().data ?? ""
            #expect(row.contains(#"action="prepend" target="live-rows""#) && row.contains("SUBSCRIBED"), "\(row)")
        }
        // A list that was paused goes on where it was, and so does a connection that was lost.
        let late = try browser.live("since=\(since)").message().data ?? ""
        #expect(late.contains("prepend"))
        // Whatever is committed, a list shows what it was asked for.
        _ = try app.post("/users/42/grants", body: #"{"product":"p","days":1,"reason":"x"}"#, isTrusted: true)
        #expect(try all.message().data?.contains("your grant") == true)
        let event = try browser.get("/console/events/\(id)")
        #expect(event.status == 200 && event.body.contains("no order and no user is known for it yet"), "\(event.body)")
        let search = try browser.get("/console/search?q=\(id)")
        #expect(search.status == 303 && search.head.contains("/console/events/"))
    }

    @Test func aStreamIsForWhoMaySeeIt() throws {
        let app = try AppPost(Self.keys)
        let support = try Browser(app, key: "support-key-0123456789")
        #expect(try support.get("/console/live/stream?since=e0000000-0").status == 403)
        #expect(try app.post("/console/live/stream?since=e0000000-0", body: "", method: "GET").status == 401)
        #expect(try Browser(app).get("/console/live/stream?provider=nobody&since=e0000000-0").status == 404)
    }

    /// A connection that a browser would have left is told nothing more.
    @Test func noRowComesAfterALogOut() throws {
        let app = try AppPost(Self.keys)
        let (leaving, staying) = (try Browser(app), try Browser(app))
        let since = try cursor(try leaving.get("/console/live").body)
        let old = try leaving.live("since=\(since)")
        _ = try old.block()
        let answer = try app.post(
            "/console/log-out",
            body: "",
            headers: [("Sec-Fetch-Site", "same-origin"), ("Cookie", leaving.cookie)]
        )
        #expect(answer.status == 303)
        #expect(try old.message().data?.contains(#"action="refresh""#) == true)
        let new = try staying.live("since=\(since)")
        _ = try new.block()
        _ = try app.webhook(app.purchase("7"))
        #expect(try new.message().data?.contains("SUBSCRIBED") == true)
        #expect(try leaving.get("/console/live/stream?since=\(since)").status == 401)
        app.server.process.send(.terminate)
        #expect(try old.messagesToEnd().isEmpty)
    }

    @Test func anErasedUserLeavesTheLists() throws {
        let app = try AppPost(Self.keys)
        let browser = try Browser(app)
        let since = try cursor(try browser.get("/console/live").body)
        let list = try browser.live("provider=google&since=\(since)")
        _ = try list.block()
        #expect(try app.post("/users/42", body: "", isTrusted: true, method: "DELETE").status == 200)
        #expect(try list.message().data?.contains(#"action="refresh""#) == true)
    }

    /// The backend is still to be told.
    @Test func theMessageOfAnErasureIsNotShown() throws {
        let port = ReservedPort()
        let hooks = [
            "PAYCAST_HOOK_URLS": "http://127.0.0.1:\(port.number)",
            "PAYCAST_HOOK_SECRETS": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        ]
        let app = try AppPost(Self.keys.merging(hooks) { $1 })
        let browser = try Browser(app)
        _ = try app.post("/users/erin/grants", body: #"{"product":"p","days":1,"reason":"x"}"#, isTrusted: true)
        #expect(try browser.get("/console/users/erin").body.contains("entitlements.changed"))
        #expect(try app.post("/users/erin", body: "", isTrusted: true, method: "DELETE").status == 200)
        let deliveries = try app.post("/hooks/deliveries?user=erin", body: "", isTrusted: true, method: "GET").body
        #expect(deliveries.contains("user.erased"), "\(deliveries)")
        #expect(try !browser.get("/console/users/erin").body.contains("user.erased"))
    }

    /// It stays in the ledger for a month, and its user is named by nothing that shows it.
    @Test func anErasureThatWasGivenUpNamesNobody() throws {
        let backend = AnsweringServer { _ in .init(503) }
        let hooks = [
            "PAYCAST_HOOK_URLS": backend.url, "PAYCAST_HOOK_SECRETS": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        ]
        let app = try AppPost(Self.keys.merging(hooks) { $1 })
        _ = try app.post("/users/erin-7/grants", body: #"{"product":"p","days":1,"reason":"x"}"#, isTrusted: true)
        #expect(try app.post("/users/erin-7", body: "", isTrusted: true, method: "DELETE").status == 200)
        try app.server.stop()
        // The next attempt is the last one.
        let script = """
            import sqlite3
            ledger = sqlite3.connect('paycast.db')
            ledger.execute('UPDATE hook_deliveries SET attempts = 9, due_at = 0')
            ledger.commit()
            """
        let python = RunningProcess("python3", arguments: ["-c", script], folder: app.server.folder.path)
        #expect(try python.waitForExit() == 0, "\(python.errors)")
        try app.server.start()
        _ = try app.server.process.errorLine { $0.contains("hook given up") }
        let attention = try app.post("/attention", body: "", isTrusted: true, method: "GET").body
        let found = try #require(JSON.decode(AttentionAnswer.self, from: Array(attention.utf8)), "\(attention)")
        #expect(found.failedHooks.map(\.type) == ["user.erased"] && found.failedHooks.map(\.state) == ["failed"])
        let browser = try Browser(app)
        var shown = [attention, app.server.process.errors]
        for path in ["/console/attention", "/console/live", "/console"] { shown.append(try browser.get(path).body) }
        for path in ["/search?q=erin-7", "/events", "/audit"] {
            shown.append(try app.post(path, body: "", isTrusted: true, method: "GET").body)
        }
        #expect(shown[2].contains("user.erased"))
        #expect(!shown.map { $0.replacing(#""query":"erin-7""#, with: "") }.contains { $0.contains("erin-7") })
    }

    @Test func factsAreThoseOfTheLastReload() throws {
        let folder = TemporaryFolder()
        let ops = "ops:read+operate:\(Self.key)"
        let app = try AppPost(["PAYCAST_KEYS_FILE": folder.write(ops, to: "keys")])
        let browser = try Browser(app)
        #expect(try !browser.get("/console/nodes").body.contains("newcomer"))
        folder.write(ops + ",newcomer:read:newcomer-key-0123456789", to: "keys")
        app.server.process.send(.hangUp)
        _ = try app.server.process.errorLine { $0.contains("changed=PAYCAST_KEYS") }
        #expect(try browser.get("/console/nodes").body.contains("newcomer"))
    }

    @Test func aRefusedWebhookIsSeen() throws {
        let app = try AppPost(Self.keys)
        let browser = try Browser(app)
        #expect(try app.post("/webhooks/apple", body: #"{"signedPayload":"a.b.c"}"#).status == 400)
        #expect(try app.post("/webhooks/revenuecat", body: "{}").status == 401)
        _ = try app.webhook(app.purchase("7"))
        let answer = try app.post("/attention", body: "", isTrusted: true, method: "GET")
        let found = try #require(JSON.decode(AttentionAnswer.self, from: Array(answer.body.utf8)), "\(answer.body)")
        #expect(found.refused.map(\.route) == ["/webhooks/revenuecat", "/webhooks/apple"])
        #expect(found.refused.map(\.client) == ["127.0.0.1", "127.0.0.1"] && found.refused.last?.bytes == 25)
        #expect(found.unclaimedContracts == 1 && found.unclaimed.map(\.contract) == ["7"])
        let page = try browser.get("/console/attention").body
        #expect(page.contains("/webhooks/revenuecat") && page.contains("1 in all."), "\(page)")
        for path in ["/console", "/console?range=day", "/console/nodes", "/console/search"] {
            #expect([200, 303].contains(try browser.get(path).status), "\(path)")
        }
        #expect(try browser.get("/console/nodes").body.contains("not heard"))
    }

    @Test func aWebhookThatWasNotReadIsSeen() throws {
        let app = try AppPost(Self.keys)
        for (field, status) in [("Content-Length: 300000", 413), ("Transfer-Encoding: chunked", 411)] {
            let socket = try app.server.connect()
            try socket.send("POST /webhooks/apple HTTP/1.1\r\nHost: localhost\r\n\(field)\r\n\r\n")
            #expect(try socket.read(until: "\r\n").contains("\(status)"))
        }
        _ = try app.post("/webhooks/apple", body: "", method: "GET")
        let answer = try app.post("/attention", body: "", isTrusted: true, method: "GET")
        let found = try #require(JSON.decode(AttentionAnswer.self, from: Array(answer.body.utf8)), "\(answer.body)")
        #expect(found.refused.map(\.reason) == ["length_required", "body_too_large"])
        #expect(
            found.refused.map(\.bytes) == [0, 300_000]
                && found.refused.map(\.route).allSatisfy { $0.hasSuffix("/apple") }
        )
        #expect(found.refused.map(\.client) == ["127.0.0.1", "127.0.0.1"])
    }

    private func history(of app: AppPost) throws -> HistoryAnswer {
        let answer = try app.post("/history?range=hour", body: "", isTrusted: true, method: "GET")
        return try #require(JSON.decode(HistoryAnswer.self, from: Array(answer.body.utf8)), "\(answer.body)")
    }

    @Test func whatTheServerCountsIsTold() throws {
        let app = try AppPost(Self.keys)
        let token = try #require(try app.order(of: "42"))
        let page = try app.page("42")
        _ = try page.block()
        _ = try app.webhook(app.purchase("7", token: token))
        _ = try page.message()
        // A socket is counted once it has taken the message, which may be after the page has read it.
        try Deadline(.seconds(60)).wait {
            try history(of: app).steps.last?.pageP99 != nil
        }
        let told = try history(of: app)
        let step = try #require(told.steps.last)
        #expect(told.step == 60 && step.events == ["apple": ["applied": 1]] && step.pages["sse"] == 1)
        #expect(step.pageP99 != nil && step.delays["apple"] != nil)
    }

    struct Refused: Sendable {
        var path: String
        var code: String
    }

    @Test func whatIsWronglyAskedHasItsAnswer() throws {
        let app = try AppPost()
        let refused = [
            Refused(path: "/events?before=x", code: "invalid_cursor"),
            Refused(path: "/events?since=otherledger-7", code: "invalid_cursor"),
            Refused(path: "/events?limit=101", code: "invalid_limit"), Refused(path: "/search", code: "invalid_query"),
            Refused(path: "/search?q=", code: "invalid_query"), Refused(path: "/search?q=a%0Ab", code: "invalid_query"),
            Refused(path: "/search?q=\(String(repeating: "q", count: 1025))", code: "invalid_query"),
            Refused(path: "/history?range=year", code: "invalid_range"),
        ]
        for given in refused {
            let answer = try app.post(given.path, body: "", isTrusted: true, method: "GET")
            #expect(answer.status == 400 && answer["error"] == given.code, "\(given): \(answer.body)")
        }
        for path in ["/events", "/search?q=a", "/attention", "/history"] {
            #expect(try app.post(path, body: "", method: "GET").status == 401)
            #expect(try app.post(path, body: "", isTrusted: true, method: "GET").status == 200)
        }
        _ = try app.webhook(app.purchase("7"))
        let events = try app.post("/events?outcome=unclaimed", body: "", isTrusted: true, method: "GET").body
        #expect(events.contains(#""contract":"7""#) && events.contains(#""next":null"#), "\(events)")
        let others = try app.post("/events?product=nothing", body: "", isTrusted: true, method: "GET").body
        #expect(others.contains(#""events":[]"#), "\(others)")
    }
}

extension String {
    fileprivate func components(after part: String) -> Substring? {
        firstRange(of: part).map { self[$0.upperBound...] }
    }
}
