import Domain
import Encoding
import HTTPClient
import Simulator
import TestSupport
import Testing

/// What an app says of a user's language decides which file the page gets, and how its date and price are written; what it
/// says of the time zone decides the day.
@Suite(.blocking) struct LocaleJourneyTests {
    private let folder = TemporaryFolder()
    private let server: PaycastServer
    private let key: String

    init() throws {
        let content = #"" lang="{{locale}}" data-price="{{price}}" data-iso="{{access_until_iso}}">"#
        for name in FragmentName.allCases.map(\.rawValue) where name != "purchase" {
            for (locale, text) in [("", "Now"), (".de", "Jetzt"), (".pt", "Agora")] {
                let roots = ["paywall", "subscription_status"].map {
                    #"<p id="\#($0)\#(content)\#(text) {{access_until}}</p>"#
                }
                folder.write(roots.joined(), to: "public/fragments/\(name)\(locale).html")
            }
        }
        folder.write(#"<p id="news">News</p>"#, to: "public/fragments/news.html")
        folder.write(#"<p id="news">Neues</p>"#, to: "public/fragments/news.de.html")
        server = try PaycastServer(
            publicFolder: folder.path("public"),
            environment: ["PAYCAST_DEV_NOW": "2025-11-18T12:00:00Z"]
        )
        key = try DevelopmentWorkspace.existing(in: server.folder.path).apiKey
    }

    @Test func thePageComesInTheLanguageThatWasSaidLast() throws {
        let order = try ask(
            "POST",
            path: "/orders",
            body: #"{"user":"42","product":"paycast.pro.annual","locale":"de"}"#
        )
        let name = try #require(order["signed_stream"]?.text)
        let events = try EventStreamClient(port: server.port, path: "/streams?name=\(name)")
        let socket = try PageWebSocket(port: server.port, path: "/streams?name=\(name)")
        #expect(events.status == 200)
        try trigger("SUBSCRIBED/INITIAL_BUY", "--order", try #require(order["order"]?.text))
        for text in [try events.message().data ?? "", try socket.text()] {
            #expect(text.contains("Jetzt 18. November 2026</p>"), "\(text)")
            #expect(text.contains(#"lang="de" data-price="79,99\#u{A0}$""#), "\(text)")
            #expect(text.contains(#"data-iso="2026-11-18T"#), "\(text)")
        }

        // There is no file for Brazil, and none at all for French; what was missed comes in the language of now.
        _ = try ask("GET", path: "/users/42/stream?locale=PT_br")
        let brazil = try socketText(name)
        #expect(brazil.contains("Agora 18 de novembro de 2026</p>"), "\(brazil)")
        #expect(brazil.contains(#"lang="pt-BR" data-price="US$\#u{A0}79,99""#), "\(brazil)")
        _ = try ask("GET", path: "/users/42/stream?locale=fr")
        let french = try socketText(name)
        #expect(french.contains("Now 18 novembre 2026</p>"), "\(french)")

        try server.restart()
        #expect(try socketText(name) == french)
        _ = try ask("GET", path: "/users/42/stream")
        #expect(try socketText(name) == french, "nothing was said")
        try server.stop()
    }

    /// It ends at noon in UTC, which is an hour after midnight on the next day in Samoa.
    @Test func theDayIsTheOneWhereTheUserIs() throws {
        let order = try ask(
            "POST",
            path: "/orders",
            body: #"{"user":"42","product":"paycast.pro.annual","locale":"de","time_zone":"Pacific/Apia"}"#
        )
        let name = try #require(order["signed_stream"]?.text)
        let socket = try PageWebSocket(port: server.port, path: "/streams?name=\(name)")
        try trigger("SUBSCRIBED/INITIAL_BUY", "--order", try #require(order["order"]?.text))
        let live = try socket.text()
        #expect(live.contains("Jetzt 19. November 2026</p>") && live.contains(#"data-iso="2026-11-18T"#), "\(live)")
        #expect(try ask("GET", path: "/users/42")["time_zone"]?.text == "Pacific/Apia")

        _ = try ask("GET", path: "/users/42/stream?time_zone=Pacific/Pago_Pago")
        let west = try socketText(name)
        #expect(west.contains("Jetzt 18. November 2026</p>"), "the language stays: \(west)")
        _ = try ask("GET", path: "/users/42/stream?time_zone=Pacific%2FKiritimati&locale=fr")
        let east = try socketText(name)
        #expect(east.contains("Now 19 novembre 2026</p>"), "\(east)")
        try server.restart()
        #expect(try socketText(name) == east)
        try server.stop()
    }

    @Test func aTimeZoneAloneChangesTheDayAlone() throws {
        let page = try ask("GET", path: "/users/42/stream?time_zone=Pacific/Apia")
        try trigger("SUBSCRIBED/INITIAL_BUY", "--user", "42")
        let text = try socketText(try #require(page["signed_stream"]?.text))
        #expect(text.contains("Now 19 November 2026</p>"), "\(text)")
        #expect(text.contains(#"lang="" data-price="79.99""#), "\(text)")
    }

    @Test(arguments: [
        Refusal(path: "/users/42/stream?time_zone="), Refusal(path: "/users/42/stream?time_zone=Mars/Olympus"),
        Refusal(path: "/users/42/stream?time_zone=GMT%2B2"), Refusal(path: "/users/42/stream?time_zone=%2B02:00"),
        Refusal(path: "/users/42/stream?locale=de&time_zone=..%2FEurope%2FBerlin"),
        Refusal(method: "POST", path: "/orders", body: #"{"user":"42","product":"p","time_zone":"europe/berlin"}"#),
        Refusal(method: "POST", path: "/orders", body: #"{"user":"42","product":"p","time_zone":""}"#),
    ])
    func whatIsNoTimeZoneIsRefused(_ refusal: Refusal) throws {
        let response = try send(refusal.method, path: refusal.path, body: refusal.body)
        let message = "time_zone must be a name of the tz database such as Europe/Berlin, America/New_York or UTC."
        #expect(response.status == 400)
        let text = String(decoding: response.body, as: UTF8.self)
        #expect(text == #"{"error":"invalid_time_zone","message":"\#(message)"}"#)
        let user = try ask("GET", path: "/users/42")
        #expect(user["locale"] == nil && user["time_zone"] == nil, "nothing of it counts")
    }

    @Test func withoutALocaleNothingIsWrittenOtherwise() throws {
        let order = try ask(
            "POST",
            path: "/orders",
            body: #"{"user":"42","product":"paycast.pro.annual","locale":null}"#
        )
        try trigger("SUBSCRIBED/INITIAL_BUY", "--order", try #require(order["order"]?.text))
        let text = try socketText(try #require(order["signed_stream"]?.text))
        #expect(text.contains("Now 18 November 2026</p>"), "\(text)")
        #expect(text.contains(#"lang="" data-price="79.99""#), "\(text)")
    }

    @Test func broadcastsFollow() throws {
        let page = try ask("GET", path: "/users/42/stream?locale=de-AT")
        let name = try #require(page["signed_stream"]?.text)
        let socket = try PageWebSocket(port: server.port, path: "/streams?name=\(name)")
        let broadcast = #"{"user":"42","action":"replace","target":"news","template":"news""#
        for (end, text) in [
            ("}", "Neues"), (#","transient":true}"#, "Neues"), (#","values":{"locale":"en"}}"#, "News"),
            (#","transient":true,"values":{"locale":"en"}}"#, "News"),
        ] {
            _ = try ask("POST", path: "/broadcasts", body: broadcast + end)
            #expect(try socket.text().contains(">\(text)</p>"), "\(end)")
        }
        _ = try ask("POST", path: "/broadcasts", body: "[\(broadcast)},\(broadcast),\"transient\":true}]")
        #expect(try [socket.text(), socket.text()].allSatisfy { $0.contains(">Neues</p>") })
    }

    struct Refusal: Sendable {
        var method = "GET"
        var path: String
        var body: String?
    }

    @Test(arguments: [
        Refusal(path: "/users/42/stream?locale="), Refusal(path: "/users/42/stream?locale=german"),
        Refusal(path: "/users/42/stream?locale=de-AT%00"), Refusal(path: "/users/42/stream?locale=de,en;q=0.9"),
        Refusal(method: "POST", path: "/orders", body: #"{"user":"42","product":"p","locale":""}"#),
        Refusal(method: "POST", path: "/orders", body: #"{"user":"42","product":"p","locale":"../de"}"#),
        Refusal(method: "POST", path: "/orders", body: #"{"user":"42","product":"p","locale":"\u212Aa"}"#),
    ])
    func whatIsNoTagIsRefused(_ refusal: Refusal) throws {
        let response = try send(refusal.method, path: refusal.path, body: refusal.body)
        let text = String(decoding: response.body, as: UTF8.self)
        let message = "locale must be a language tag such as de, pt-BR or zh-Hant-TW."
        // A NUL is a flaw of the request itself.
        if refusal.path.contains("%00") { return #expect(response.status == 400, "\(text)") }
        #expect(response.status == 400)
        #expect(text == #"{"error":"invalid_locale","message":"\#(message)"}"#)
    }

    private func send(_ method: String, path: String, body: String?) throws -> HTTPClient.Response {
        try HTTPClient(timeout: .seconds(20)).send(
            method,
            to: server.url + path,
            headers: [("Authorization", "Bearer \(key)")],
            body: body.map { Array($0.utf8) }
        )
    }

    private func ask(_ method: String, path: String, body: String? = nil) throws -> JSONNode {
        let response = try send(method, path: path, body: body)
        #expect((200...202).contains(response.status), "\(String(decoding: response.body, as: UTF8.self))")
        return try #require(JSONNode(response.body))
    }

    private func trigger(_ words: String...) throws {
        let process = server.paycast(["trigger", "apple"] + words + ["--product", "paycast.pro.annual"])
        #expect(try process.waitForExit() == 0, "\(process.errors)")
    }

    /// What a page is sent that comes now.
    private func socketText(_ name: String) throws -> String {
        try PageWebSocket(port: server.port, path: "/streams?name=\(name)").text()
    }
}
