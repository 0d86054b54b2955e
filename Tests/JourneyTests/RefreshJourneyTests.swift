import TestSupport
import Testing

/// A page whose state has no template is told to load itself again: as news, once, and never for ever.
@Suite(.blocking) struct RefreshJourneyTests {
    /// Where a page says what it has seen.
    enum Way: String, Sendable, CaseIterable {
        case eventStream, webSocket, cable
    }

    private static let refresh = #"<turbo-stream action="refresh"></turbo-stream>"#

    private let folder = TemporaryFolder()
    private let server: PaycastServer
    private let name: String
    /// Before anything was bought.
    private let since: String

    init() throws {
        folder.write(#"<p id="paywall">Welcome</p>"#, to: "public/fragments/success.html")
        server = try PaycastServer(publicFolder: folder.path("public"))
        let order = try PrintedAnswer(server.paycast("order", "--user", "42", "--product", "paycast.pro.monthly"))
        name = try order["signed_stream"]
        since = try order["since"]
    }

    private func store(_ event: String) throws {
        let process = server.paycast("trigger", "apple", event, "--user", "42")
        #expect(try process.waitForExit() == 0, "\(process.errors)")
    }

    private func expire() throws {
        try store("SUBSCRIBED/INITIAL_BUY")
        try store("EXPIRED/VOLUNTARY")
    }

    private func say(_ text: String, more: String...) throws {
        let words = ["publish", "--user", "42", "--action", "update", "--target", "box", "--html", text]
        let process = server.paycast(words + more)
        #expect(try process.waitForExit() == 0, "\(process.errors)")
    }

    /// What a page that comes is sent at once, before what happens next.
    private func sent(_ way: Way, since: String?, lastEventID: String? = nil) throws -> [String] {
        let page = try page(way, since: since, lastEventID: lastEventID)
        defer { page.leave() }
        try say("fence", more: "--transient")
        var messages: [String] = []
        while true {
            let message = try page.next()
            guard !message.contains("fence") || message.contains("refresh") else { return messages }
            messages.append(message)
            if message.contains("fence") { return messages }
        }
    }

    private struct Page {
        let socket: RawSocket
        /// The next message.
        let next: () throws -> String

        /// Ends its connection, as a page does that loads itself again. The server has noticed when this returns: on a busy
        /// machine, the next connection may overtake the end of this one.
        func leave() {
            socket.finishSending()
            _ = try? socket.readToEndOrReset()
        }
    }

    private func page(_ way: Way, since: String?, lastEventID: String? = nil) throws -> Page {
        let path = "/streams?name=\(name)" + (since.map { "&since=\($0)" } ?? "")
        switch way {
        case .eventStream:
            let headers = lastEventID.map { [("Last-Event-ID", $0)] } ?? []
            let page = try EventStreamClient(port: server.port, path: path, headers: headers)
            return Page(socket: page.socket) { try page.message().data ?? "" }
        case .webSocket:
            let page = try RawWebSocket(port: server.port, path: path)
            return Page(socket: page.socket) { try page.text() }
        case .cable:
            let client = try CableClient(port: server.port)
            #expect(try client.subscribe(CableClient.identifier(name, since: since)) == "confirm_subscription")
            return Page(socket: client.webSocket.socket) { try client.html() }
        }
    }

    @Test(arguments: Way.allCases) func aPageThatIsOpenIsToldOnce(_ way: Way) throws {
        let page = try page(way, since: since)
        try store("SUBSCRIBED/INITIAL_BUY")
        #expect(try page.next().contains("Welcome"))
        try store("EXPIRED/VOLUNTARY")
        #expect(try page.next() == Self.refresh)
        try say("fence", more: "--transient")
        #expect(try page.next().contains("fence"))
        page.leave()
        // It has loaded itself again, and its HTML says the same as before.
        #expect(try sent(way, since: since).isEmpty)
    }

    /// Two tabs: the HTML of both says the same.
    @Test(arguments: Way.allCases) func eachOfTwoPagesIsToldOnce(_ way: Way) throws {
        try expire()
        let first = try page(way, since: since)
        #expect(try first.next() == Self.refresh)
        let second = try page(way, since: since)
        #expect(try second.next() == Self.refresh)
        first.leave()
        second.leave()
        // Both have loaded themselves again.
        let both = try (0..<2).map { _ in try page(way, since: since) }
        try say("fence", more: "--transient")
        for page in both { #expect(try page.next().contains("fence")) }
        withExtendedLifetime(both) {}
    }

    /// The first tab has loaded itself again when the second comes.
    @Test(arguments: Way.allCases) func aPageThatComesAfterAnotherHasReloadedIsTold(_ way: Way) throws {
        try expire()
        #expect(try sent(way, since: since) == [Self.refresh])
        let first = try page(way, since: since)
        try say("fence", more: "--transient")
        #expect(try first.next().contains("fence"))
        #expect(try sent(way, since: since) == [Self.refresh])
        #expect(try sent(way, since: since).isEmpty)
        withExtendedLifetime(first) {}
    }

    /// More than one answer holds.
    @Test(arguments: Way.allCases) func eachOfTwoPagesThatMissedTooMuchIsTold(_ way: Way) throws {
        let html = String(repeating: "x", count: 190_000)
        let row = #"{"user":"42","action":"append","target":"rows","html":"\#(html)"}"#
        for _ in 0..<2 { #expect(try broadcast(row) == 202) }
        let pages = try (0..<2).map { _ in try page(way, since: since) }
        for page in pages { #expect(try (page.next() + page.next()).hasSuffix(Self.refresh)) }
        withExtendedLifetime(pages) {}
    }

    @Test(arguments: Way.allCases) func aPageWithoutACursorIsNeverTold(_ way: Way) throws {
        try expire()
        #expect(try sent(way, since: nil).isEmpty)
        try server.restart()
        #expect(try sent(way, since: nil).isEmpty)
    }

    @Test(arguments: Way.allCases, ["EXPIRED/VOLUNTARY", "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED"])
    func aPageOfAFixedCursorIsToldOfEachEntryOnce(_ way: Way, event: String) throws {
        try store("SUBSCRIBED/INITIAL_BUY")
        try store(event)
        let messages = try sent(way, since: since)
        #expect(messages.joined().ranges(of: Self.refresh).count == 1)
        for _ in 0..<2 { #expect(!(try sent(way, since: since).joined().contains("refresh"))) }
    }

    @Test func anEventSourceThatWasAwayIsTold() throws {
        try expire()
        // Two tabs: they share what they saw last, not what they missed.
        for _ in 0..<2 {
            let away = try EventStreamClient(
                port: server.port,
                path: "/streams?name=\(name)&since=\(since)",
                headers: [("Last-Event-ID", since)]
            )
            let message = try away.message()
            #expect(message.data == Self.refresh)
            #expect(try sent(.eventStream, since: since, lastEventID: message.id).isEmpty)
        }
    }

    @Test(arguments: Way.allCases) func aCursorOfAnotherLedgerIsHealedOnce(_ way: Way) throws {
        #expect(try sent(way, since: "gone-7") == [Self.refresh])
        #expect(try sent(way, since: "gone-7").isEmpty)
        // What happens to others is no reason either.
        let other = server.paycast("publish", "--user", "43", "--html", Self.refresh)
        #expect(try other.waitForExit() == 0, "\(other.errors)")
        #expect(try sent(way, since: "gone-7").isEmpty)
        #expect(try sent(way, since: "gone-8") == [Self.refresh])
    }

    @Test(arguments: Way.allCases) func aHistoryThatIsTooLongIsHealedOnce(_ way: Way) throws {
        let row = #"{"user":"42","action":"append","target":"rows","html":"x"}"#
        let rows = "[" + Array(repeating: row, count: 60).joined(separator: ",") + "]"
        for _ in 0..<2 { #expect(try broadcast(rows) == 202) }
        #expect(try sent(way, since: since) == [Self.refresh])
        #expect(try sent(way, since: since).isEmpty)
        #expect(try broadcast(row) == 202)
        #expect(try sent(way, since: since) == [Self.refresh])
    }

    private func broadcast(_ body: String) throws -> Int {
        let key = (server.folder.read(".paycast/api.key") ?? "").prefix { $0 != "\n" }
        let socket = try server.connect()
        try socket.send(
            "POST /broadcasts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(key)\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)"
        )
        let answer = String(decoding: try socket.readToEnd(), as: UTF8.self)
        return answer.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    }
}
