import API
import APIModel
import Domain
import Encoding
import Simulator
import TestSupport
import Testing

/// Who did what to a user: told of every act of a key or a command, and of nothing that a store does.
@Suite(.blocking) struct AuditJourneyTests {
    private static let support = "support-key-0123456789"
    private static let shop = "shop-key-0123456789abc"
    private static let keys = ["PAYCAST_KEYS": "support:act+read:\(support),shop:orders:\(shop)"]

    private func ask(
        _ app: AppPost,
        _ method: String,
        _ path: String,
        body: String = "",
        key: String? = nil,
        request: String? = nil
    ) throws -> AppPost.Answer {
        let headers =
            [("Authorization", "Bearer \(key ?? app.workspace.apiKey)")]
            + (request.map { [("X-Request-ID", $0)] } ?? [])
        return try app.post(path, body: body, headers: headers, method: method)
    }

    /// An entry without its id and its time.
    private func told(_ item: AuditItem) -> String {
        [item.action, item.actor, item.systemUser, item.user?.text, item.reason, item.request].map { $0 ?? "-" }
            .joined(separator: " ")
    }

    @Test func everyActHasItsEntry() throws {
        let app = try AppPost(Self.keys)
        let order = #"{"user":"42","product":"paycast.pro.monthly"}"#
        let created = try ask(app, "POST", "/orders", body: order, key: Self.shop, request: "r-1")
        #expect(try ask(app, "POST", "/orders", body: order, key: Self.shop).body == created.body)
        let purchase = app.purchase("7")
        let signed = try app.store.transaction(purchase)
        #expect(
            try ask(
                app,
                "POST",
                "/transactions/apple",
                body: #"{"signedTransaction":"\#(signed)","user":"42"}"#,
                key: Self.shop
            ).status == 200
        )
        // What stores and pages do is no entry.
        _ = try app.webhook(app.purchase("8"))
        let granted = try ask(
            app,
            "POST",
            "/users/42/grants",
            body: #"{"product":"pro","days":1,"reason":"ticket 7"}"#,
            key: Self.support,
            request: "r-2"
        )
        let id = try #require(granted["grant"])
        _ = try ask(app, "DELETE", "/users/42/grants/\(id)?reason=mistake", key: Self.support)
        #expect(try ask(app, "GET", "/users/42/events", key: Self.support).status == 200)
        #expect(try ask(app, "GET", "/users/42/events?bodies=true", key: Self.support).status == 403)
        #expect(try ask(app, "GET", "/users/42/events?bodies=true").status == 200)
        _ = try ask(app, "POST", "/replays", body: #"{"mode":"broadcast","user":"42"}"#, key: Self.support)
        _ = try ask(app, "POST", "/replays", body: #"{"mode":"dry_run","user":"42"}"#, key: Self.support)
        _ = try ask(app, "POST", "/recoveries", body: #"{"provider":"apple"}"#, key: Self.support)
        #expect(
            try app.audit("").entries.reversed().map(told) == [
                "order shop - 42 - r-1", "claim shop - 42 - -", "grant support - 42 ticket 7 r-2",
                "revoke support - 42 mistake -", "read api - 42 - -", "resend support - 42 - -",
                "recover support - - apple -",
            ]
        )
        #expect(try app.audit("?user=42&actor=support").entries.map(\.action) == ["resend", "revoke", "grant"])
        #expect(try app.audit("?actor=shop&limit=1").next == 2)
        #expect(try app.audit("?actor=shop&limit=1&before=2").entries.map(\.action) == ["order"])
        #expect(try app.audit("?since=5").entries.map(\.id) == [7, 6])
        try app.server.restart()
        #expect(try app.audit("").entries.count == 7)
        #expect(try ask(app, "GET", "/audit", key: Self.support)["error"] == "missing_right")
    }

    /// A command says for which user of the system it runs; a named key keeps its name.
    @Test func commandsAreCLI() throws {
        let app = try AppPost(Self.keys)
        let words = ["grant", "--user", "42", "--product", "pro", "--forever", "--reason", "x"]
        #expect(try app.server.paycast(words).waitForExit() == 0)
        #expect(try app.server.paycast(words + ["--key", Self.support]).waitForExit() == 0)
        let entries = try app.audit("").entries
        let systemUser = try #require(entries[0].systemUser)
        #expect(entries.map(\.actor) == ["support", "cli"] && entries[1].systemUser == systemUser)
    }

    @Test func anErasureKeepsTheEntryAndDropsTheName() throws {
        let app = try AppPost()
        _ = try app.grant("erin@example.com", #"{"product":"pro","days":1,"reason":"ticket 7"}"#)
        _ = try app.order(of: "erin@example.com")
        _ = try app.order(of: "42")
        let erase = app.server.paycast("erase", "--user", "erin@example.com", "--reason", "request of 1 May")
        #expect(try erase.waitForExit() == 0)
        let entries = try app.audit("").entries
        #expect(entries.map(\.action) == ["erase", "order", "order", "grant"])
        #expect(entries.map { $0.user?.text } == [nil, "42", nil, nil])
        #expect(entries.map(\.reason) == ["request of 1 May", nil, nil, "ticket 7"])
        #expect(try app.audit("?user=erin@example.com").entries.isEmpty)
        // Who looks whether anything is left does not bring the name back.
        let export = app.server.paycast("export", "--user", "erin@example.com", "--allow-unknown")
        #expect(try export.waitForExit() == 0 && export.output.contains(#""audit":[]"#), "\(export.output)")
        let read = try app.audit("").entries.first
        #expect(read?.action == "read" && read?.user == nil)
        // Erasing nobody is an act as well: a tombstone stays.
        let nobody = app.server.paycast("erase", "--user", "nobody", "--reason", "x", "--allow-unknown")
        #expect(try nobody.waitForExit() == 0)
        #expect(try app.audit("").entries.first?.action == "erase")
    }

    /// Entries outlive users, and so do the ids of requests.
    @Test func aRequestThatNamesTheUserIsLeftOut() throws {
        let app = try AppPost()
        _ = try app.order(of: "erin")
        for id in ["see-erin-7", "see-7"] {
            #expect(try ask(app, "GET", "/users/erin/events?bodies=true", request: id).status == 200)
        }
        #expect(try ask(app, "DELETE", "/users/erin", request: "erase-erin").status == 200)
        let entries = try app.audit("").entries
        #expect(entries.map(\.action) == ["erase", "read", "read", "order"])
        #expect(entries.map(\.request) == [nil, "see-7", nil, nil])
    }

    @Test func tailFollowsIt() throws {
        let app = try AppPost()
        _ = try app.grant("41", #"{"product":"pro","days":1,"reason":"ticket 6"}"#)
        let tail = app.server.paycast("tail", "--audit", "--user", "42", "--since", "start", "--limit", "2")
        _ = try app.grant("42", #"{"product":"pro","days":1,"reason":"ticket 7"}"#)
        _ = try tail.line { $0.contains("  grant  ") && $0.contains("user=42") && $0.hasSuffix("ticket 7") }
        // It goes on after a restart.
        try app.server.restart()
        _ = try app.order(of: "42")
        #expect(try tail.waitForExit() == 0 && !tail.output.contains("user=41"), "\(tail.output) \(tail.errors)")
        let json = app.server.paycast("tail", "--audit", "--json", "--since", "2", "--limit", "1")
        #expect(try json.waitForExit() == 0)
        #expect(JSON.decode(AuditItem.self, from: Array(json.output.utf8))?.action == "order", "\(json.output)")
        let nothing = app.server.paycast("tail", "--audit", "--timeout", "1")
        #expect(try nothing.waitForExit() == 1 && nothing.errors.contains("--timeout has passed"))
        let since = app.server.paycast("tail", "--audit", "--since", "yesterday")
        #expect(try since.waitForExit() == 64 && since.errors.contains("an entry's id"))
        #expect(try app.server.paycast("tail", "--actor", "cli").waitForExit() == 64)
    }

    /// It is in the ledger, and so in whatever is made of the ledger.
    @Test func isInBackupsAndCopies() throws {
        let app = try AppPost()
        _ = try app.grant("42", #"{"product":"pro","days":1,"reason":"ticket 7"}"#)
        let before = try app.audit("").entries
        let folder = app.server.folder
        #expect(try app.server.paycast("backup", "backup.db").waitForExit() == 0)
        try app.server.stop(with: .terminate)
        let copy = app.server.paycast(
            ["copy", "--from", "sqlite:\(folder.path("paycast.db"))", "--to", "sqlite:\(folder.path("copy.db"))"]
        )
        #expect(try copy.waitForExit() == 0, "\(copy.errors)")
        for ledger in ["copy.db", "backup.db"] {
            try app.server.start(database: "sqlite:\(folder.path(ledger))")
            #expect(try app.audit("").entries == before && before.count == 1)
            _ = try app.order(of: "43")
            #expect(try app.audit("").entries.map(\.id) == [2, 1])
            try app.server.stop(with: .terminate)
        }
    }

    struct Refused: Sendable {
        var query: String
        var code: String
    }

    private static let refused = [
        Refused(query: "user=", code: "invalid_user"), Refused(query: "user=a%0Ab", code: "invalid_user"),
        Refused(query: "actor=", code: "invalid_actor"),
        Refused(query: "actor=\(String(repeating: "a", count: 256))", code: "invalid_actor"),
        Refused(query: "since=", code: "invalid_since"), Refused(query: "since=yesterday", code: "invalid_since"),
        Refused(query: "since=-1", code: "invalid_since"),
        Refused(query: "since=9999999999999999999", code: "invalid_since"),
        Refused(query: "before=", code: "invalid_before"), Refused(query: "before=x", code: "invalid_before"),
        Refused(query: "limit=0", code: "invalid_limit"), Refused(query: "limit=101", code: "invalid_limit"),
    ]

    @Test func whatIsWronglyAskedHasItsAnswer() throws {
        let app = try AppPost()
        for given in Self.refused {
            let answer = try ask(app, "GET", "/audit?" + given.query)
            #expect(answer.status == 400 && answer["error"] == given.code, "\(given): \(answer.body)")
        }
        #expect(try app.post("/audit", body: "", method: "GET").status == 401)
        #expect(try ask(app, "POST", "/audit").status == 405)
        // Not what may be kept: the entry is written without it.
        for request in ["", "caf\u{e9}", String(repeating: "r", count: 129)] {
            _ = try ask(
                app,
                "POST",
                "/orders",
                body: #"{"user":"4\#(request.utf8.count)","product":"p"}"#,
                request: request
            )
        }
        #expect(try app.audit("").entries.map(\.request) == [nil, nil, nil])
    }
}
