import API
import APIModel
import Domain
import Encoding
import Simulator
import TestSupport
import Testing

/// What the backend and its support staff grant, from the request to the open page.
@Suite(.blocking) struct GrantJourneyTests {
    private static let month = #"{"product":"pro","days":30,"reason":"ticket 7"}"#

    @Test func aGrantSwapsThePageAndRevokingTurnsItBack() throws {
        let app = try AppPost()
        let page = try app.page("42")
        let grant = app.server.paycast(
            ["grant", "--user", "42", "--product", "pro", "--days", "30", "--reason", "ticket 7"]
        )
        let id = try PrintedAnswer(grant)["grant"]
        let swap = try page.message().data ?? ""
        #expect(swap.contains(#"target="paywall""#) && swap.contains(#"data-state="cancelled""#), "\(swap)")
        let entitlements = try app.entitlements(of: "42")
        for part in [#""active":true"#, #""provider":"paycast""#, #""contract":"\#(id)""#, #""product":"pro""#] {
            #expect(entitlements.contains(part), "\(entitlements)")
        }
        try app.server.restart()
        let late = try app.page("42")
        #expect(try late.message().data?.contains(#"target="paywall""#) == true)
        let revoke = app.server.paycast(["revoke", "--user", "42", "--grant", id, "--reason", "granted by mistake"])
        #expect(try PrintedAnswer(revoke)["revoked"].hasSuffix("Z"))
        var back = ""
        while !back.contains(#"data-state="revoked""#) { back = try late.message().data ?? "" }
        #expect(try app.entitlements(of: "42").contains(#""active":false"#))
        let events = try app.post("/users/42/events", body: "", isTrusted: true, method: "GET").body
        #expect(events.contains(#""kind":"access.revoked""#) && events.contains(#""type":"grant""#), "\(events)")
    }

    /// At its end the page turns back, although nobody says anything.
    @Test func aGrantEndsWhileTheServerIsDown() throws {
        let app = try AppPost()
        let stream = try app.stream(of: "42")
        let granted = try app.grant("42", #"{"product":"pro","days":1,"reason":"x"}"#)
        let page = try EventStreamClient(port: app.server.port, path: "/streams?name=\(stream)")
        #expect(try page.message().data?.contains(#"data-state="cancelled""#) == true)
        _ = try app.post("/demo/api/clock", body: #"{"advance":86401}"#, method: "PUT")
        var ended = ""
        while !ended.contains(#"data-state="expired""#) { ended = try page.message().data ?? "" }
        #expect(try app.entitlements(of: "42").contains(#""state":"expired""#))
        let late = try app.revoke("42", granted["grant"] ?? "")
        #expect(late.status == 409 && late["error"] == "grant_ended", "\(late.body)")
    }

    /// What a store says stays, and so do its contract and its page.
    @Test func aStoresContractIsLeftAlone() throws {
        let app = try AppPost()
        let token = try #require(try app.order(of: "42"))
        _ = try app.webhook(app.purchase("7", token: token))
        let granted = try app.grant("42", #"{"product":"pro","forever":true,"reason":"x"}"#)
        let lineage = try app.revoke("42", "7")
        #expect(lineage.status == 404 && lineage["error"] == "unknown_grant")
        #expect(try app.revoke("42", granted["grant"] ?? "").status == 200)
        let left = try app.entitlements(of: "42")
        #expect(left.contains(#""active":true"#) && left.contains(#""state":"active""#), "\(left)")
    }

    /// Whoever pays on is told of the renewal, and not of an end. A grant for ever is another word.
    @Test(arguments: [false, true]) func aGrantThatEndsHidesNoRenewal(isForEver: Bool) throws {
        let app = try AppPost()
        _ = try app.webhook(app.purchase("7", token: app.order(of: "42")))
        let page = try app.page("42")
        _ = try app.told(page, of: "42")
        let term = isForEver ? #""forever":true"# : #""days":400"#
        #expect(try app.grant("42", #"{"product":"pro",\#(term),"reason":"ticket 7"}"#).status == 201)
        let told = try app.told(page, of: "42")
        #expect(told.contains { $0.contains(#"target="paywall""#) }, "the grant itself")
        #expect(told.contains { $0.contains(#"target="subscription_status""#) } == isForEver, "\(told)")
        let answer = try #require(JSON.decode(EntitlementsAnswer.self, from: Array(app.entitlements(of: "42").utf8)))
        let main = try #require(answer.entitlements["default"])
        #expect(main.state == (isForEver ? "owned" : "active") && main.provider == (isForEver ? "paycast" : "apple"))
        // The latest end of all that opens it.
        let ends = answer.contracts.compactMap(\.accessUntil).max()
        #expect(answer.contracts.count == 2 && main.accessUntil == (isForEver ? nil : ends))
    }

    @Test func aRepeatedKeyIsOneGrant() throws {
        let app = try AppPost()
        let first = try app.grant("42", Self.month, key: "ticket-7")
        #expect(first.status == 201)
        // Quoted it is the same key, and the reason is only for the audit.
        let again = try app.grant("42", Self.month.replacing("ticket 7", with: "7"), key: "\"ticket-7\"")
        #expect(again.status == 201 && again.body == first.body, "\(again.body)")
        for other in ["days\":31", "product\":\"gold\",\"days\":30"] {
            let body =
                other.hasPrefix("product")
                ? Self.month.replacing("product\":\"pro\",\"days\":30", with: other)
                : Self.month.replacing("days\":30", with: other)
            let refused = try app.grant("42", body, key: "ticket-7")
            #expect(refused.status == 422 && refused["error"] == "idempotency_key_reused", "\(refused.body)")
        }
        #expect(try app.grant("43", Self.month, key: "ticket-7")["grant"] != first["grant"], "keys are a user's own")
        #expect(try app.grant("42", Self.month)["grant"] != first["grant"])
        // Taken back, it stays so.
        #expect(try app.revoke("42", first["grant"] ?? "").status == 200)
        let late = try app.grant("42", Self.month, key: "ticket-7")
        #expect(late.status == 201 && late["grant"] == first["grant"] && late["revoked_at"] != nil, "\(late.body)")
    }

    /// Answered or not: what was committed before the end is there after it, once.
    @Test func killNineGrantsNothingTwice() throws {
        let app = try AppPost()
        for round in 0..<6 {
            let socket = try app.server.connect()
            try socket.send(
                """
                POST /users/42/grants HTTP/1.1\r\nHost: 127.0.0.1:\(app.server.port)\r
                Authorization: Bearer \(app.workspace.apiKey)\r\nIdempotency-Key: round-\(round)\r\nConnection: close\r
                Content-Length: \(Self.month.utf8.count)\r\n\r\n\(Self.month)
                """
            )
            // On odd rounds the answer is on its way, or not even begun, when the server ends.
            let answer = round.isMultiple(of: 2) ? String(decoding: try socket.readToEnd(), as: UTF8.self) : nil
            try app.server.restart()
            let again = try app.grant("42", Self.month, key: "round-\(round)")
            #expect(again.status == 201, "\(again.body)")
            if let answer { #expect(answer.hasSuffix(again.body), "\(answer) \(again.body)") }
        }
        #expect(try app.entitlements(of: "42").grantCount == 6)
        #expect(try app.audit("?user=42").entries.count { $0.action == "grant" } == 6)
    }

    @Test func manyAtOnceGrantOnce() async throws {
        let app = try AppPost()
        let answers = try await withThrowingTaskGroup(of: AppPost.Answer.self) { group in
            for _ in 0..<20 { group.addTask { try app.grant("42", Self.month, key: "k") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(answers.map(\.body)).count == 1 && answers.allSatisfy { $0.status == 201 })
        #expect(try app.entitlements(of: "42").grantCount == 1)
    }

    /// It is exported, replayed and erased like what a store says; a grant brings the user back, and its key is free.
    @Test func isExportedReplayedAndErased() throws {
        let app = try AppPost()
        let user = "erin@example.com"
        let first = try app.grant(user, Self.month, key: "k")
        let export = app.server.paycast("export", "--user", user)
        #expect(try export.waitForExit() == 0)
        let exported = try #require(JSON.decode(UserExport.self, from: Array(export.output.utf8)))
        #expect(exported.events.first?.body?.contains(#""reason":"ticket 7""#) == true, "\(export.output)")
        #expect(exported.audit.contains { $0.action == "grant" && $0.reason == "ticket 7" })
        let replay = app.server.paycast("replay", "--user", user)
        #expect(try replay.waitForExit() == 0)
        #expect(replay.output.hasSuffix("1 read, 0 changed, 0 skipped\n"), "\(replay.output)")
        let tail = app.server.paycast("tail", "--provider", "paycast", "--since", "start", "--limit", "1")
        #expect(try tail.waitForExit() == 0)
        #expect(tail.output.contains("  paycast  ") && tail.output.contains("paywall:success"), "\(tail.output)")
        let erase = app.server.paycast("erase", "--user", user, "--reason", "asked for it")
        #expect(try erase.waitForExit() == 0 && erase.output.hasPrefix("contracts  1\n"), "\(erase.output)")
        #expect(try !app.entitlements(of: user).contains("paycast"))
        let again = try app.grant(user, Self.month, key: "k")
        #expect(again.status == 201 && again["cursor"] != first["cursor"])
        #expect(try app.entitlements(of: user).contains(#""active":true"#))
        // Taken back, erased, and granted once more under the same key, it can be taken back as before.
        for _ in 0..<2 {
            let granted = try app.grant(user, Self.month, key: "k")["grant"] ?? ""
            #expect(try app.revoke(user, granted)["revoked_at"] != nil)
            #expect(try app.entitlements(of: user).contains(#""active":false"#))
            #expect(try app.post("/users/\(user)", body: "", isTrusted: true, method: "DELETE").status == 200)
        }
    }

    /// Each way to act on what was seen before something happened to the user, an erasure too.
    @Test func nothingIsDoneToWhomSomethingHasHappened() throws {
        let app = try AppPost()
        let seen = { try app.post("/users/42", body: "", isTrusted: true, method: "GET")["since"] ?? "" }
        let event = try #require(try app.webhook(app.purchase("7"))["event"])
        let before = try seen()
        let granted = try app.grant("42", Self.month, query: "?unchanged_since=\(before)")
        #expect(granted.status == 201, "\(granted.body)")
        for (method, path, body) in [
            ("POST", "/users/42/grants?", Self.month),
            ("POST", "/users/42/claims?", #"{"event":"\#(event)","reason":"x"}"#),
            ("DELETE", "/users/42/grants/\(granted["grant"] ?? "")?reason=x&", ""), ("DELETE", "/users/42?", ""),
        ] {
            for (since, status, code) in [(before, 409, "changed_since"), ("x-1", 400, "invalid_cursor")] {
                let late = try app.post(path + "unchanged_since=\(since)", body: body, isTrusted: true, method: method)
                #expect(late.status == status && late["error"] == code, "\(method) \(path): \(late.body)")
            }
        }
        let now = try seen()
        let erased = try app.post("/users/42?unchanged_since=\(now)", body: "", isTrusted: true, method: "DELETE")
        #expect(erased.status == 200, "\(erased.body)")
        #expect(try app.grant("42", Self.month, query: "?unchanged_since=\(now)")["error"] == "changed_since")
        let late = try seen()
        #expect(try app.grant("42", Self.month, query: "?unchanged_since=\(late)").status == 201)
    }

    struct Refused: Sendable {
        var path = "/users/42/grants"
        var method = "POST"
        var body = month
        var headers: [(String, String)] = []
        var status = 400
        var code: String
    }

    private static let id = String(repeating: "0", count: 32)
    private static let long = String(repeating: "x", count: 256)
    private static let refused = [
        Refused(body: "", code: "invalid_json"),
        Refused(body: "[]", code: "invalid_json"),
        Refused(body: #"{"days":30,"reason":"x"}"#, code: "invalid_json"),
        Refused(body: #"{"product":7,"days":30,"reason":"x"}"#, code: "invalid_json"),
        Refused(body: #"{"product":"a","product":"b","days":30,"reason":"x"}"#, code: "duplicate_member"),
        Refused(body: #"{"product":"","days":30,"reason":"x"}"#, code: "invalid_product"),
        Refused(body: #"{"product":"a\u0007","days":30,"reason":"x"}"#, code: "invalid_product"),
        Refused(body: #"{"product":"\#(long)","days":30,"reason":"x"}"#, code: "invalid_product"),
        Refused(body: #"{"product":"pro","group":"","days":30,"reason":"x"}"#, code: "invalid_group"),
        Refused(body: #"{"product":"pro","group":7,"days":30,"reason":"x"}"#, code: "invalid_json"),
        Refused(body: #"{"product":"pro","reason":"x"}"#, code: "invalid_term"),
        Refused(body: #"{"product":"pro","day":30,"reason":"x"}"#, code: "invalid_term"),
        Refused(body: #"{"product":"pro","days":30,"forever":true,"reason":"x"}"#, code: "invalid_term"),
        Refused(
            body: #"{"product":"pro","days":30,"until":"2099-01-01T00:00:00Z","reason":"x"}"#,
            code: "invalid_term"
        ),
        Refused(body: #"{"product":"pro","until":"2020-01-01T00:00:00Z","reason":"x"}"#, code: "invalid_until"),
        Refused(body: #"{"product":"pro","until":"2099-02-30T00:00:00Z","reason":"x"}"#, code: "invalid_until"),
        Refused(body: #"{"product":"pro","until":"tomorrow","reason":"x"}"#, code: "invalid_until"),
        Refused(body: #"{"product":"pro","until":4070908800,"reason":"x"}"#, code: "invalid_json"),
        Refused(body: #"{"product":"pro","days":0,"reason":"x"}"#, code: "invalid_days"),
        Refused(body: #"{"product":"pro","days":3651,"reason":"x"}"#, code: "invalid_days"),
        Refused(body: #"{"product":"pro","days":1.5,"reason":"x"}"#, code: "invalid_days"),
        Refused(body: #"{"product":"pro","days":"30","reason":"x"}"#, code: "invalid_days"),
        Refused(body: #"{"product":"pro","days":99999999999999999999,"reason":"x"}"#, code: "invalid_days"),
        Refused(body: #"{"product":"pro","forever":false,"reason":"x"}"#, code: "invalid_json"),
        Refused(body: #"{"product":"pro","days":30}"#, code: "invalid_json"),
        Refused(body: #"{"product":"pro","days":30,"reason":""}"#, code: "invalid_reason"),
        Refused(body: #"{"product":"pro","days":30,"reason":"a\nb"}"#, code: "invalid_reason"),
        Refused(body: #"{"product":"pro","days":30,"reason":"\#(long)"}"#, code: "invalid_reason"),
        Refused(body: #"{"product":"pro","days":30,"reason":"for 42, as asked"}"#, code: "invalid_reason"),
        Refused(headers: [("Idempotency-Key", "two words")], code: "invalid_idempotency_key"),
        Refused(path: "/users/a%0Ab/grants", code: "invalid_user"),
        Refused(path: "/users//grants", status: 404, code: "not_found"),
        Refused(path: "/users/\(long)/grants", code: "invalid_user"),
        Refused(body: String(repeating: " ", count: 256 << 10) + month, status: 413, code: "body_too_large"),
        Refused(method: "GET", body: "", status: 405, code: "method_not_allowed"),
        Refused(path: "/users/42/grants/\(id)", method: "GET", body: "", status: 405, code: "method_not_allowed"),
        Refused(path: "/users/42/grants/\(id)", method: "DELETE", body: "", code: "invalid_reason"),
        Refused(path: "/users/42/grants/\(id)?reason=", method: "DELETE", body: "", code: "invalid_reason"),
        Refused(path: "/users/42/grants/\(id)?reason=\(long)", method: "DELETE", body: "", code: "invalid_reason"),
        Refused(path: "/users/42/grants/\(id)?reason=for%2042", method: "DELETE", body: "", code: "invalid_reason"),
        Refused(
            path: "/users/42/grants/\(id)?reason=x",
            method: "DELETE",
            body: "",
            status: 404,
            code: "unknown_grant"
        ),
        Refused(
            path: "/users/42/grants/nonsense?reason=x",
            method: "DELETE",
            body: "",
            status: 404,
            code: "unknown_grant"
        ),
        // A script whose variable is empty must not erase anybody.
        Refused(path: "/users/42/grants/?reason=x", method: "DELETE", body: "", status: 404, code: "not_found"),
        Refused(path: "/webhooks/paycast", status: 404, code: "not_found"),
    ]

    @Test func whatIsWrongHasItsAnswer() throws {
        let app = try AppPost()
        for given in Self.refused {
            let answer = try app.post(
                given.path,
                body: given.body,
                isTrusted: true,
                headers: given.headers,
                method: given.method
            )
            let what = "\(given.method) \(given.path) \(given.body.prefix(100)): \(answer.body)"
            #expect(answer.status == given.status && answer["error"] == given.code, "\(what)")
            #expect(answer["message"]?.hasSuffix(".") == true, "\(what)")
        }
        #expect(try app.post("/users/42/grants", body: Self.month).status == 401)
        #expect(try app.audit("").entries.isEmpty, "what is refused is no act")
        // Members that nobody knows are ignored, as everywhere.
        let more = try app.grant("42", #"{"product":"pro","days":1,"reason":"x","until":null,"note":{"a":[1]}}"#)
        #expect(more.status == 201, "\(more.body)")
        // Of another user, and of a user who looks the same.
        for user in ["43", "42%20"] {
            let other = try app.revoke(user, more["grant"] ?? "")
            #expect(other.status == 404 && other["error"] == "unknown_grant", "\(other.body)")
        }
    }

    @Test(arguments: LookAlike.all) func aLookAlikeGetsNothing(_ pair: LookAlike) throws {
        let app = try AppPost()
        let own = try app.grant(pair.one.percentEncoded, Self.month, key: "k")
        #expect(try app.revoke(pair.other.percentEncoded, own["grant"] ?? "").status == 404)
        #expect(try app.entitlements(of: pair.one.percentEncoded).contains(#""active":true"#))
        #expect(try app.entitlements(of: pair.other.percentEncoded).contains(#""contracts":[]"#))
    }

    /// One user a line; the same command again grants nothing twice, also with a corrected file.
    @Test func manyAreGrantedFromAFile() throws {
        let app = try AppPost()
        func run(_ users: String, _ more: String...) throws -> RunningProcess {
            let words = ["grant", "--users", "-", "--product", "pro", "--days", "3", "--reason", "outage"]
            let run = app.server.paycast(words + more, input: users)
            _ = try run.waitForExit()
            return run
        }
        let trial = try run("a\r\nb\n\nc d\na\n", "--dry-run")
        #expect(try trial.output == "3 users would get pro\n" && app.audit("").entries.isEmpty, "\(trial.errors)")
        #expect(try run("a\r\nb\n\nc d\na\n").output == "3 users have pro\n")
        #expect(try run("b\ne\na\n").output == "3 users have pro\n")
        for user in ["a", "b", "c%20d", "e"] {
            #expect(try app.entitlements(of: user).grantCount == 1, "\(user)")
        }
        #expect(try app.audit("").entries.count == 4)
        let bad = try run("a\nb\u{7}\n")
        #expect(try bad.waitForExit() == 1 && bad.errors.contains("line 2 of - is no user"), "\(bad.errors)")
        let empty = try run("\n\n")
        #expect(try empty.waitForExit() == 1 && empty.errors.contains("names nobody"), "\(empty.errors)")
        let naming = try run("a\noutage\n")
        #expect(try naming.waitForExit() == 1)
        #expect(naming.errors.contains("1 of 2 users are done; correct that and run the same command again"))
    }

    /// Three more days of what they have, or had: not for whom nothing was ever sold, nor for who got the money back.
    @Test func manyAreGrantedWhatTheyHold() throws {
        let app = try AppPost()
        for (user, lineage) in [("a", "1"), ("b", "2")] {
            let token = try #require(try app.order(of: user))
            _ = try app.webhook(app.purchase(lineage, token: token))
        }
        let bought = app.purchase("3", token: try app.order(of: "d"))
        _ = try app.webhook(bought)
        var refund = bought
        (refund.type, refund.subtype, refund.id) = ("REFUND", nil, OrderToken.random().description)
        refund.facts.accessUntil = bought.now + .seconds(30 * 86_400)
        refund.now = bought.now + .seconds(60)
        #expect(try app.webhook(refund)["outcome"] == "applied")
        _ = try app.grant("b", Self.month)
        func run(_ more: String...) throws -> String {
            let words = ["grant", "--users", "-", "--days", "3", "--reason", "outage"]
            let run = app.server.paycast(words + more, input: "a\nb\nc\nd\n")
            #expect(try run.waitForExit() == 0, "\(run.errors)")
            return run.output
        }
        let printed = "their product\n2 hold nothing, and get nothing\n"
        #expect(try run("--dry-run") == "2 users would get " + printed)
        #expect(try run() == "2 users have " + printed && run() == "2 users have " + printed)
        for user in ["a", "b"] {
            let held = try app.entitlements(of: user)
            #expect(held.ranges(of: #""product":"paycast.pro.monthly","provider":"paycast""#).count == 1, "\(held)")
        }
        #expect(try app.entitlements(of: "c").contains(#""contracts":[]"#))
        #expect(try !app.entitlements(of: "d").contains(#""provider":"paycast""#))
    }

    /// Whoever is first, both are told the same.
    @Test func twoTakeItBackAtOnce() async throws {
        let app = try AppPost()
        let granted = try app.grant("42", Self.month)["grant"] ?? ""
        let answers = try await withThrowingTaskGroup(of: AppPost.Answer.self) { group in
            for _ in 0..<10 { group.addTask { try app.revoke("42", granted) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(answers.map(\.body)).count == 1 && answers.allSatisfy { $0.status == 200 })
        #expect(try app.audit("?user=42").entries.map(\.action) == ["revoke", "grant"])
    }
}

extension AppPost {
    func grant(_ user: String, _ body: String, key: String? = nil, query: String = "") throws -> Answer {
        let headers = key.map { [("Idempotency-Key", $0)] } ?? []
        return try post("/users/\(user)/grants\(query)", body: body, isTrusted: true, headers: headers)
    }

    func revoke(_ user: String, _ grant: String) throws -> Answer {
        try post("/users/\(user)/grants/\(grant)?reason=a%20mistake", body: "", isTrusted: true, method: "DELETE")
    }

    func audit(_ query: String) throws -> AuditAnswer {
        let answer = try post("/audit" + query, body: "", isTrusted: true, method: "GET")
        return try #require(JSON.decode(AuditAnswer.self, from: Array(answer.body.utf8)), "\(answer.body)")
    }
}

extension String {
    fileprivate var percentEncoded: String {
        utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
