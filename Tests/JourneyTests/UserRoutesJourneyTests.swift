import Domain
import Encoding
import Simulator
import TestSupport
import Testing

/// What a backend, or support, asks of one user and one order, against the real server.
@Suite(.blocking) struct UserRoutesJourneyTests {
    @Test func aPurchaseIsFollowedFromItsOrder() throws {
        let app = try AppPost()
        let token = try #require(try app.order(of: "42"))
        let open = try app.get("/orders/\(token)")
        #expect(open.status == 200 && open["state"] == "open" && open["order"] == "\(token)" && open["user"] == "42")
        #expect(open.json?["purchases"] == .array([]))
        let purchase = app.purchase("7", token: token)
        let event = try #require(try app.webhook(purchase)["event"])
        _ = try app.webhook(app.purchase("7", token: token, ago: 9000))

        // In capitals it is the same UUID.
        let order = try app.get("/orders/\(token.description.uppercased())")
        #expect(order["state"] == "fulfilled", "\(order.body)")
        let bought = order.json?["purchases"]?.items?.first
        #expect(bought?["event"]?.text == event && bought?["contract"]?.text == "7" && bought?["user"]?.text == "42")
        let page = try EventStreamClient(port: app.server.port, path: "/streams?name=\(order["signed_stream"] ?? "")")
        #expect(try page.message().data?.contains("paywall") == true)

        let user = try app.get("/users/42")
        #expect(user["user"] == "42" && user["stream"] == "user:42:paywall" && user["locale"] == nil)
        _ = try app.get("/users/42/stream?locale=PT_br")
        #expect(try app.get("/users/42")["locale"] == "pt-BR")
        #expect(user.json?["active"]?.boolean == true)
        let contract = user.json?["contracts"]?.items?.first
        #expect(contract?["state"]?.text == "active" && contract?["order"]?.text == "\(token)")
        #expect(contract?["app"]?.text == "com.example.paycast" && contract?["revoked_at"]?.isNull == true)
        #expect(user.json?["orders"]?.items?.first?["state"]?.text == "fulfilled")

        let events = try app.get("/users/42/events")
        let told = try #require(events.json?["events"]?.items)
        #expect(told.map { $0["outcome"]?.text } == ["ignored", "applied"], "\(events.body)")
        #expect(told[0]["reason"]?.text == "it says nothing new")
        #expect(told[1]["event"]?.text == event && told[1]["reason"] == nil && told[1]["occurred_at"] != nil)
        let caused = told[1]["fragments"]?.items?.compactMap { $0["fragment"]?.text }
        #expect(caused == ["success", "manage"])
        #expect(events.json?["next"]?.isNull == true)
        for secret in ["signedPayload", "signedTransaction", app.workspace.apiKey] {
            #expect(!events.body.contains(secret) && !user.body.contains(secret))
        }
    }

    /// Pages fit together while a store goes on talking; the feed goes on where the first one was read.
    @Test func pagesFitTogether() throws {
        let app = try AppPost()
        let token = try #require(try app.order(of: "a/b"))
        for number in 0..<25 { _ = try app.webhook(app.purchase("1\(number)", token: token)) }
        let whole = try app.get("/users/a%2Fb/events?limit=100")
        var (found, next, since) = ([String](), "", "")
        for round in 0..<20 {
            let page = try app.get("/users/a%2Fb/events?limit=10" + (next.isEmpty ? "" : "&before=\(next)"))
            let cursors = page.json?["events"]?.items?.compactMap { $0["cursor"]?.text } ?? []
            #expect(!cursors.isEmpty && cursors.count <= 10)
            found += cursors
            if round == 0 { since = page["since"] ?? "" }
            _ = try app.webhook(app.purchase("2\(round)", token: token))
            next = page["next"] ?? ""
            if next.isEmpty { break }
        }
        #expect(found.count == 25 && Set(found).count == 25)
        #expect(found == whole.json?["events"]?.items?.compactMap { $0["cursor"]?.text })
        let feed = try EventStreamClient(
            port: app.server.port,
            path: "/feed?user=a%2Fb&since=\(since)",
            headers: [("Authorization", "Bearer \(app.workspace.apiKey)")]
        )
        let told = try JSONNode(feed.message().data ?? "")
        #expect(told?["contract"]?.text == "20" && told?["active"]?.boolean == true)
        let item = told?["entitlements"]?["default"]
        #expect(item?["active"]?.boolean == true && item?["product"]?.text == "paycast.pro.monthly")
        #expect(item?["access_until"]?.text != nil && item?["store"]?.text == "apple" && item?["contract"] == nil)
    }

    /// The feed tells the same reason.
    @Test func theFeedTellsWhyToo() throws {
        let app = try AppPost()
        _ = try app.webhook(app.purchase("7"))
        let tail = app.server.paycast("tail", "--json", "--since", "start", "--limit", "1")
        #expect(try tail.waitForExit() == 0)
        #expect(tail.output.contains(#""reason":"no order and no user is known for it yet""#), "\(tail.output)")
    }

    @Test(arguments: LookAlike.all) func aLookAlikeIsToldNothing(_ pair: LookAlike) throws {
        let app = try AppPost()
        let one = try #require(try app.order(of: pair.one))
        _ = try app.webhook(app.purchase("7", token: one))
        let (own, other) = (escaped(pair.one), escaped(pair.other))
        #expect(try app.get("/users/\(own)").json?["contracts"]?.items?.count == 1)
        #expect(try app.get("/users/\(other)").json?["contracts"]?.items?.isEmpty == true)
        #expect(try app.get("/users/\(other)").json?["orders"]?.items?.isEmpty == true)
        #expect(try app.get("/users/\(own)/events").json?["events"]?.items?.count == 1)
        #expect(try app.get("/users/\(other)/events").json?["events"]?.items?.isEmpty == true)
    }

    struct Refused: Sendable {
        var path: String
        var isTrusted = true
        var method = "GET"
        var status = 400
        var code: String
    }

    private static let token = "0f8fad5b-d9cb-469f-a165-70867728950e"
    private static let refused = [
        Refused(path: "/orders/\(token)", status: 404, code: "unknown_order"),
        Refused(path: "/orders/\(token)0", status: 404, code: "unknown_order"),
        Refused(path: "/orders/%E2%84%AA", status: 404, code: "unknown_order"),
        Refused(path: "/orders/a/b", status: 404, code: "not_found"),
        Refused(path: "/orders/a%2Fb", status: 404, code: "unknown_order"),
        Refused(path: "/orders/\(token)", isTrusted: false, status: 401, code: "unauthorized"),
        Refused(path: "/orders/\(token)", method: "POST", status: 405, code: "method_not_allowed"),
        Refused(path: "/users/42", isTrusted: false, status: 401, code: "unauthorized"),
        Refused(path: "/users/42", method: "POST", status: 405, code: "method_not_allowed"),
        Refused(path: "/users/a%0Ab", code: "invalid_user"),
        Refused(path: "/users/\(String(repeating: "u", count: 256))", code: "invalid_user"),
        Refused(path: "/users/", status: 404, code: "not_found"),
        Refused(path: "/users/42/entitlements/", status: 404, code: "not_found"),
        Refused(path: "/users/42/entitlement", status: 404, code: "not_found"),
        Refused(path: "/users/a/b", status: 404, code: "not_found"),
        Refused(path: "/users/42/", method: "DELETE", status: 404, code: "not_found"),
        Refused(path: "/users/42/grants//", method: "DELETE", status: 404, code: "not_found"),
        Refused(path: "/users/42/grants/?reason=x", method: "DELETE", status: 404, code: "not_found"),
        Refused(path: "/events/x/", status: 404, code: "not_found"),
        Refused(path: "/users/42/events", isTrusted: false, status: 401, code: "unauthorized"),
        Refused(path: "/users/42/events", method: "POST", status: 405, code: "method_not_allowed"),
        Refused(path: "/users/a%0Ab/events", code: "invalid_user"),
        Refused(path: "/users/42/events?before=", code: "invalid_cursor"),
        Refused(path: "/users/42/events?before=start", code: "invalid_cursor"),
        Refused(path: "/users/42/events?before=other-7", code: "invalid_cursor"),
        Refused(path: "/users/42/events?limit=0", code: "invalid_limit"),
        Refused(path: "/users/42/events?limit=101", code: "invalid_limit"),
        Refused(path: "/users/42/events?limit=-1", code: "invalid_limit"),
        Refused(path: "/users/42/events?limit=%2B5", code: "invalid_limit"),
        Refused(path: "/users/42/events?limit=", code: "invalid_limit"),
        Refused(path: "/users/42/events?limit=99999999999999999999", code: "invalid_limit"),
        Refused(path: "/users/42/events?limit=%D9%A3", code: "invalid_limit"),
    ]

    @Test func whatIsWronglyAskedHasItsAnswer() throws {
        let app = try AppPost()
        for given in Self.refused {
            let answer = try app.post(given.path, body: "", isTrusted: given.isTrusted, method: given.method)
            #expect(answer.status == given.status, "\(given.method) \(given.path): \(answer.body)")
            #expect(answer["error"] == given.code, "\(given.method) \(given.path): \(answer.body)")
            #expect(answer["message"]?.hasSuffix(".") == true)
        }
        // Of nobody there is nothing, as for `entitlements`.
        let nobody = try app.get("/users/nobody")
        #expect(nobody.status == 200 && nobody.json?["active"]?.boolean == false)
        #expect(try app.get("/users/nobody/events").body.hasPrefix(#"{"events":[],"next":null,"since":""#))
    }

    private func escaped(_ text: String) -> String {
        text.utf8.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
