import API
import Domain
import Encoding
import TestSupport
import Testing

/// A support person's way through the console of the real server.
@Suite(.blocking) struct ConsoleJourneyTests {
    private static let key = "support-key-0123456789"
    private static let settings = ["PAYCAST_KEYS": "support:all:\(key)"]

    private func send(
        _ app: AppPost,
        _ path: String,
        cookie: String? = nil,
        form: [(String, String)]? = nil
    ) throws -> AppPost.Answer {
        var headers = cookie.map { [("Cookie", $0)] } ?? []
        guard let form else { return try app.post(path, body: "", headers: headers, method: "GET") }
        headers.append(("Sec-Fetch-Site", "same-origin"))
        let body = form.map { "\($0.0)=\(PercentEncoding.encode($0.1))" }.joined(separator: "&")
        return try app.post(path, body: body, headers: headers)
    }

    /// The cookie of an answer, as a browser sends it.
    private func cookie(of answer: AppPost.Answer) throws -> String {
        let line = try #require(answer.head.split(separator: "\r\n").first { $0.hasPrefix("Set-Cookie: ") })
        return String(line.dropFirst("Set-Cookie: ".count).prefix { $0 != ";" })
    }

    private func seen(_ page: AppPost.Answer) throws -> String {
        let tail = try #require(page.body.split(separator: "name=\"seen\" value=\"").last)
        return String(tail.prefix { $0 != "\"" })
    }

    @Test func whoPaidIsShownGrantedToldAndErased() throws {
        let app = try AppPost(Self.settings)
        #expect(try send(app, "/console").status == 401)
        let cookie = try cookie(of: send(app, "/console/session", form: [("key", Self.key)]))
        let token = try #require(try app.order(of: "42"))
        _ = try app.webhook(app.purchase("7", token: token))
        let page = try send(app, "/console/users/42", cookie: cookie)
        #expect(page.status == 200 && page.body.contains("because Apple said so on"), "\(page.body)")
        #expect(page.body.contains("class=\"time-line\"") && page.body.contains(token.description))
        #expect(try send(app, "/console/search?q=7", cookie: cookie).head.contains("/console/users/42?found=7"))
        let found = try send(app, "/console/users/42?found=7", cookie: cookie).body
        #expect(found.contains("the buyer restores purchases when logged in as the other user"), "\(found)")
        // Two people have the form open, and send it.
        let open = try send(app, "/console/users/42/grant", cookie: cookie)
        let form = [
            ("product", "pro"), ("sure", "pro"), ("term", "forever"), ("reason", "ticket 7"), ("seen", try seen(open)),
        ]
        #expect(try send(app, "/console/users/42/grant", cookie: cookie, form: form + [("key", "a")]).status == 303)
        let second = try send(app, "/console/users/42/grant", cookie: cookie, form: form + [("key", "b")])
        #expect(second.status == 409 && second.body.contains("support granted access"), "\(second.body)")
        #expect(try app.entitlements(of: "42").grantCount == 1)
        // The entry has the key's name.
        #expect(
            try app.post("/audit?user=42", body: "", isTrusted: true, method: "GET").body.contains(
                #""actor":"support""#
            )
        )
        let sent = [("reason", "still old"), ("seen", try seen(second))]
        #expect(try send(app, "/console/users/42/send-state", cookie: cookie, form: sent).status == 303)
        let erase = try send(app, "/console/users/42/erase", cookie: cookie)
        let confirmed = [("reason", "asked for"), ("confirm", "42"), ("seen", try seen(erase))]
        #expect(try send(app, "/console/users/42/erase", cookie: cookie, form: confirmed).body.contains("Erased: "))
        #expect(try send(app, "/console/users/42", cookie: cookie).body.contains("Nothing is known of this user"))
        #expect(try send(app, "/console/log-out", cookie: cookie, form: []).status == 303)
        #expect(try send(app, "/console", cookie: cookie).status == 401)
    }

    /// Somebody of support answers Apple, with the customer's consent only.
    @Test func aRefundThatApplesAsksAboutIsAnswered() throws {
        let app = try AppPost(Self.settings)
        let cookie = try cookie(of: send(app, "/console/session", form: [("key", Self.key)]))
        for event in ["SUBSCRIBED/INITIAL_BUY", "CONSUMPTION_REQUEST"] {
            let trigger = app.server.paycast("trigger", "apple", event, "--user", "42")
            #expect(try trigger.waitForExit() == 0, "\(trigger.errors)")
        }
        #expect(try send(app, "/console", cookie: cookie).body.contains("1 refund that Apple asks about"))
        let list = try send(app, "/console/attention", cookie: cookie).body
        for part in ["did not mean to buy it", "UNINTENDED_PURCHASE", "11 h 59 min left", "9.99 USD"] {
            #expect(list.contains(part), "\(part): \(list)")
        }
        let address = try #require(list.firstMatch(of: /console\/refunds\/[0-9]+/)).output
        let page = "/" + address
        #expect(try send(app, page, cookie: cookie).body.contains("paycast.pro.monthly"))
        let form = [("delivery", "DELIVERED"), ("preference", "DECLINE"), ("reason", "used daily")]
        let refused = try send(app, page, cookie: cookie, form: form)
        #expect(refused.status == 400 && refused.body.contains("ask the customer"), "\(refused.body)")
        #expect(try app.post("/demo/api/apple/jobs", body: "", method: "GET").body.contains(#""consumption":{}"#))
        let sent = try send(app, page, cookie: cookie, form: form + [("consent", "yes")])
        #expect(sent.status == 200 && sent.body.contains("Your answer goes to Apple"), "\(sent.body)")
        let attention = try send(app, "/console/attention", cookie: cookie).body
        #expect(attention.contains("Apple has no open question about a refund"))
        #expect(try send(app, page, cookie: cookie).status == 404)
        try Deadline(.seconds(60)).wait(for: "Apple") {
            try app.post("/demo/api/apple/jobs", body: "", method: "GET").body.contains("DECLINE")
        }
        let audit = try app.audit("?user=42&actor=support").entries
        #expect(audit.map(\.action) == ["refund"] && audit.first?.reason == "used daily")
        #expect(try send(app, "/console/users/42", cookie: cookie).body.contains("answered Apple about a refund"))
    }

    /// A link is used up in the ledger: also after a restart it is worth nothing.
    @Test func aLinkIsUsedOnce() throws {
        let app = try AppPost(Self.settings)
        let key = [("Authorization", "Bearer \(Self.key)")]
        let made = try app.post("/users/42/console", body: "", headers: key)
        let token = try #require(made["url"]?.split(separator: "token=").last.map(String.init))
        let cookie = try cookie(of: send(app, "/console/enter", form: [("token", token)]))
        try app.server.restart()
        #expect(try send(app, "/console/users/42", cookie: cookie).status == 200)
        #expect(try send(app, "/console/users/43", cookie: cookie).status == 403)
        #expect(try send(app, "/console/enter", form: [("token", token)]).status == 403)
    }

    @Test func aLinkLeadsToTheAddressThatBrowsersKnow() throws {
        let own = ReservedPort()
        let settings = [
            "PAYCAST_CONSOLE_BIND": "127.0.0.1:\(own.number)", "PAYCAST_CONSOLE_URL": "https://Console.example.com/",
        ]
        let app = try AppPost(Self.settings.merging(settings) { $1 })
        let link = try app.post("/users/42/console", body: "", headers: [("Authorization", "Bearer \(Self.key)")])
        #expect(link["url"]?.hasPrefix("https://console.example.com/console/enter?token=") == true, "\(link.body)")
    }

    @Test func anAddressOfItsOwnLeavesNoTraceAtTheOther() throws {
        let own = ReservedPort()
        let app = try AppPost(Self.settings.merging(["PAYCAST_CONSOLE_BIND": "127.0.0.1:\(own.number)"]) { $1 })
        for path in ["/console", "/console/enter", "/console/assets/console.css", "/console/session"] {
            #expect(try send(app, path).status == 404)
        }
        let socket = try RawSocket(port: own.number)
        try socket.send("GET /console HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(String(decoding: try socket.readToEnd(), as: UTF8.self).contains("Paste your key"))
        let other = try RawSocket(port: own.number)
        try other.send("GET /users/42 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        #expect(String(decoding: try other.readToEnd(), as: UTF8.self).hasPrefix("HTTP/1.1 404"))
    }

    struct Hidden: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var keys: String?
        var bind: String?
    }

    /// What a stranger learns about an address, whatever is asked there.
    @Test(arguments: [
        Hidden(testDescription: "no key has a name"),
        Hidden(testDescription: "another port", keys: "support:all:\(key)", bind: "127.0.0.1:0"),
    ]) func anAddressWithoutAConsoleIsLikeAnyOther(_ given: Hidden) throws {
        var environment = [
            "PAYCAST_API_KEY": "key-key-key-key-key-key", "PAYCAST_STREAM_KEYS": "stream-stream-stream-0",
            "PAYCAST_STRIPE_SECRETS": "whsec_0123456789abcdef",
        ]
        environment["PAYCAST_KEYS"] = given.keys
        environment["PAYCAST_CONSOLE_BIND"] = given.bind
        let server = try PaycastServer([], environment: environment)
        for (method, fields) in [
            ("GET", ""), ("HEAD", ""), ("OPTIONS", ""), ("DELETE", ""), ("PUT", "Content-Length: 0\r\n"),
            ("POST", "Content-Length: 0\r\n"), ("POST", "Content-Length: 300000\r\n"), ("POST", ""),
            ("POST", "Transfer-Encoding: chunked\r\n"),
        ] {
            let answers = try ["/nothing", "/console", "/console/session"].map { path in
                let socket = try server.connect()
                try socket.send("\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\(fields)\r\n")
                return String(decoding: try socket.readToEndOrReset(), as: UTF8.self).split(separator: "\r\n")
                    .filter { !$0.hasPrefix("Date: ") }
            }
            #expect(answers[0].first?.hasPrefix("HTTP/1.1 404") == true, "\(method): \(answers)")
            #expect(answers[1] == answers[0] && answers[2] == answers[0], "\(method): \(answers)")
        }
    }
}
