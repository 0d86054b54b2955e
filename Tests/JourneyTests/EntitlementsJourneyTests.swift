import Crypto
import Domain
import Encoding
import Simulator
import Support
import TestSupport
import Testing

/// `GET /entitlements`: what a page or an app without a key learns of its user, against the real server.
@Suite(.blocking) struct EntitlementsJourneyTests {
    /// A page of each user; neither learns anything of the other.
    @Test func eachHolderSeesItsOwnUser() throws {
        let app = try AppPost()
        let (one, other) = (try app.stream(of: "one"), try app.stream(of: "other"))
        let (empty, otherEmpty) = (try app.ask(one), try app.ask(other))
        let nothing =
            #"{"access_until":null,"active":false,"auto_renew":null,"product":null,"provider":null,"state":null,"#
            + #""store":null,"trial":false,"trial_ends_at":null}"#
        let stranger = #"{"active":false,"contracts":[],"entitlements":{"default":\#(nothing)},"user":"one"}"#
        #expect(empty.status == 200 && empty.body == stranger)
        #expect(empty.header("Cache-Control") == "private, no-cache" && empty.header("Vary") == "Origin")
        #expect(empty.header("Content-Type") == "application/json")

        _ = try app.webhook(app.purchase("2000000000000001", token: try app.order(of: "one")))
        let bought = try app.ask(one)
        #expect(bought.header("ETag") != empty.header("ETag"))
        #expect(JSONNode(bought.body)?["active"]?.boolean == true)
        // It is the API's answer without the contract, and without the ledger's position.
        var known = try #require(JSONNode(try app.entitlements(of: "one"))?.members)
        let contract = try #require(known["contracts"]?.items?.first?.members)
        let entitlement = try #require(known["entitlements"]?["default"]?.members)
        for item in [contract, entitlement] { #expect(item["contract"]?.text == "2000000000000001") }
        #expect(known["since"] != nil)
        for name in ["since", "contracts", "entitlements"] { known[name] = nil }
        var told = try #require(JSONNode(bought.body)?.members)
        #expect(told["contracts"]?.items?.first?.members == contract.filter { $0.key != "contract" })
        #expect(told["entitlements"]?["default"]?.members == entitlement.filter { $0.key != "contract" })
        for name in ["contracts", "entitlements"] { told[name] = nil }
        #expect(told == known)
        for secret in ["2000000000000001", app.workspace.apiKey, one] { #expect(!bought.body.contains(secret)) }

        #expect(try app.ask(other).body == otherEmpty.body)
        #expect(try app.ask(other, known: bought.header("ETag")).status == 200)
    }

    /// The tag is the same as long as the answer is: after the events of other users, and after a restart.
    @Test func unchangedIsNotSentAgain() throws {
        let app = try AppPost()
        let name = try app.stream(of: "42")
        let bought = app.purchase("2000000000000001", token: try app.order(of: "42"))
        _ = try app.webhook(bought)
        let tag = try #require(try app.ask(name).header("ETag"))
        #expect(tag.hasPrefix("\"") && tag.hasSuffix("\""), "a weak tag")
        _ = try app.webhook(app.purchase("2000000000000002", token: try app.order(of: "43")))
        for known in [tag, "\"1\", \(tag)", "W/\(tag)", "*"] {
            let answer = try app.ask(name, known: known)
            #expect(answer.status == 304 && answer.body.isEmpty, "\(known)")
            #expect(answer.header("ETag") == tag && answer.header("Cache-Control") == "private, no-cache")
            #expect(answer.header("Content-Length") == nil)
        }
        for known in ["\"1\"", tag + "x", ""] { #expect(try app.ask(name, known: known).status == 200, "\(known)") }

        var refund = app.purchase("2000000000000001", token: bought.token, ago: 60)
        (refund.type, refund.subtype) = ("REFUND", nil)
        refund.facts.state = .active
        _ = try app.webhook(refund)
        let after = try app.ask(name, known: tag)
        #expect(after.status == 200 && JSONNode(after.body)?["active"]?.boolean == false)
        #expect(JSONNode(after.body)?["entitlements"]?["default"]?["state"]?.text == "revoked")
        #expect(after.header("ETag") != tag)
    }

    @Test(arguments: LookAlike.all) func aLookAlikeLearnsNothing(_ pair: LookAlike) throws {
        let app = try AppPost()
        _ = try app.webhook(app.purchase("7", token: try app.order(of: pair.one)))
        #expect(JSONNode(try app.ask(app.stream(of: pair.one)).body)?["active"]?.boolean == true)
        #expect(JSONNode(try app.ask(app.stream(of: pair.other)).body)?["active"]?.boolean == false)
    }

    struct Refused: Sendable {
        var name: String
        var query: String
        var method = "GET"
        var status = 403
        var code: String
    }

    @Test func whatProvesNothingHasItsAnswer() throws {
        let key = "a-stream-key-of-this-test-0123456789"
        let app = try AppPost(["PAYCAST_STREAM_KEYS": key])
        let signer = try #require(StreamNameVerifier(keys: [.init(text: key)]))
        let other = try #require(StreamNameVerifier(keys: [.init(text: "another-key-of-this-test-9876543210")]))
        let stream = try #require(StreamName("user:42:paywall"))
        let news = try #require(StreamName("news"))
        let past = Clock().now() - .seconds(60)
        let cases = [
            Refused(name: "no name", query: "", code: "forged_stream_name"),
            Refused(name: "an empty name", query: "?name=", code: "forged_stream_name"),
            Refused(name: "another key", query: "?name=\(escaped(other.sign(stream)))", code: "forged_stream_name"),
            Refused(name: "a plain name", query: "?name=user:42:paywall", code: "forged_stream_name"),
            Refused(
                name: "another user's payload",
                query: "?name=InVzZXI6NDM6cGF5d2FsbCI%3D--\(signer.sign(stream).suffix(64))",
                code: "forged_stream_name"
            ),
            Refused(
                name: "expired",
                query: "?name=\(escaped(signer.sign(stream, expires: past)))",
                code: "expired_stream_name"
            ),
            Refused(name: "nobody's stream", query: "?name=\(escaped(signer.sign(news)))", code: "not_a_users_stream"),
            Refused(
                name: "posted",
                query: "?name=\(escaped(signer.sign(stream)))",
                method: "POST",
                status: 405,
                code: "method_not_allowed"
            ),
        ]
        for given in cases {
            let answer = try app.post("/entitlements" + given.query, body: "", method: given.method)
            #expect(answer.status == given.status, "\(given.name): \(answer.body)")
            #expect(answer["error"] == given.code, "\(given.name): \(answer.body)")
            #expect(answer["message"]?.hasSuffix(".") == true && answer.header("ETag") == nil)
            if given.status == 405 { #expect(answer.header("Allow") == "GET, OPTIONS") }
        }
        // A key of the API is no name.
        #expect(try app.post("/entitlements", body: "", isTrusted: true, method: "GET").status == 403)
        #expect(try app.ask(signer.sign(stream)).status == 200)
    }

    struct Origin: Sendable {
        var origin: String?
        /// `Access-Control-Allow-Origin` of the answers.
        var allowed: String?
        var isRefused = false
    }

    private static let origins = [
        Origin(origin: nil), Origin(origin: "http://HOST"),
        Origin(origin: "https://shop.example", allowed: "https://shop.example"),
        Origin(origin: "https://evil.example", isRefused: true), Origin(origin: "null", isRefused: true),
    ]

    @Test func pagesOfAllowedOriginsMayAsk() throws {
        let app = try AppPost(["PAYCAST_ALLOWED_ORIGINS": "https://shop.example"])
        let name = try app.stream(of: "42")
        for given in Self.origins {
            let origin = given.origin?.replacing("HOST", with: "127.0.0.1:\(app.server.port)")
            let headers = origin.map { [("Origin", $0)] } ?? []
            let asked = try app.post("/entitlements", body: "", headers: headers, method: "OPTIONS")
            #expect(asked.status == (given.isRefused ? 403 : 204), "\(given)")
            #expect(asked.header("Access-Control-Allow-Headers") == (given.allowed == nil ? nil : "If-None-Match"))
            #expect(asked.header("Access-Control-Allow-Methods") == (given.allowed == nil ? nil : "GET"))
            let answer = try app.ask(name, headers: headers)
            #expect(answer.status == (given.isRefused ? 403 : 200), "\(given)")
            if given.isRefused { #expect(answer["error"] == "origin_not_allowed") }
            let unchanged = try app.ask(name, known: answer.header("ETag"), headers: headers)
            #expect(unchanged.status == (given.isRefused ? 403 : 304), "\(given)")
            for answer in [asked, answer, unchanged] {
                #expect(answer.header("Access-Control-Allow-Origin") == given.allowed, "\(given)")
                #expect(answer.header("Vary") == "Origin")
            }
        }
    }

    private func escaped(_ name: String) -> String { PercentEncoding.encode(name) }
}

extension AppPost {
    fileprivate func ask(
        _ name: String,
        known: String? = nil,
        headers: [(String, String)] = []
    ) throws -> Answer {
        let known = known.map { [("If-None-Match", $0)] } ?? []
        let path = "/entitlements?name=\(PercentEncoding.encode(name))"
        return try post(path, body: "", headers: headers + known, method: "GET")
    }
}

extension AppPost.Answer {
    fileprivate func header(_ name: String) -> String? {
        let prefix = name.lowercased() + ": "
        return head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(prefix) }
            .map { String($0.dropFirst(prefix.count)) }
    }
}

extension JSONNode {
    fileprivate var members: [String: JSONNode]? {
        guard case .object(let members) = self else { return nil }
        return Dictionary(uniqueKeysWithValues: members.map { ($0.name ?? "", $0.value) })
    }
}
