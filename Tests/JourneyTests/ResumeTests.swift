import Crypto
import Domain
import Simulator
import TestSupport
import Testing

/// What a page gets when it connects, whatever it says it has.
@Suite(.blocking) struct ResumeTests {
    private let server: PaycastServer
    private let name: String

    init() throws {
        server = try PaycastServer()
        let sign = server.paycast("sign", "room:1")
        #expect(try sign.waitForExit() == 0)
        name = String(sign.output.split(separator: "\n").first ?? "")
    }

    /// Publishes a fragment and returns its cursor.
    @discardableResult
    private func publish(_ text: String, target: String = "box", adding more: String...) throws -> String {
        let words = ["publish", "--stream", "room:1", "--action", "update", "--target", target, "--html", text]
        let process = server.paycast(words + more)
        #expect(try process.waitForExit() == 0, "\(process.errors)")
        return String(process.output.split(separator: "\n").first ?? "")
    }

    private func page(_ query: String = "", headers: [(String, String)] = []) throws -> EventStreamClient {
        try EventStreamClient(port: server.port, path: "/streams?name=\(name)\(query)", headers: headers)
    }

    @Test func beginsWithAnIDAndNoMessageWhenNothingHappened() throws {
        let page = try page()
        let first = try page.block()
        #expect(first.id?.hasSuffix("-0") == true && first.data == nil && first.retry != nil)
        #expect(page.head.contains("Content-Type: text/event-stream") && page.head.contains("X-Accel-Buffering: no"))
        let cursor = try publish("live")
        let message = try page.message()
        #expect(message.id == cursor && message.data?.contains("live") == true)
    }

    /// What one target was in between is left out: a page that shows the newest must not go through it again.
    @Test func bringsTheNewestOfEachTargetInOrderOnce() throws {
        let start = try publish("zero")
        for text in ["one", "two"] { try publish(text) }
        try publish("three", target: "other")
        try publish("passing", adding: "--transient")
        let last = try publish("four")
        for query in [("&since=\(start)", []), ("", [("Last-Event-ID", start)])] {
            let message = try page(query.0, headers: query.1).message()
            #expect(message.id == last)
            #expect(texts(message.data ?? "") == ["three", "four"])
        }
    }

    @Test func largerOfBothCursorsCounts() throws {
        let first = try publish("one")
        let second = try publish("two")
        try publish("three")
        for (since, id) in [(first, second), (second, first)] {
            let message = try page("&since=\(since)", headers: [("Last-Event-ID", id)]).message()
            #expect(message.data?.contains("two") == false && message.data?.contains("three") == true)
        }
    }

    @Test(arguments: ["", "&since=other000-5", "&since=garbage", "&since=EPOCH-999"])
    func unknownCursorGetsTheNewest(_ given: String) throws {
        let cursor = try publish("old")
        try publish("new")
        let query = given.replacing("EPOCH", with: cursor.prefix { $0 != "-" })
        let message = try page(query).message()
        #expect(message.data?.contains("new") == true && message.data?.contains("old") == false)
    }

    @Test(arguments: ["&since=other000-5", "&since=garbage"]) func unknownCursorOfAnEmptyStreamReloads(_ query: String)
        throws
    {
        #expect(try page(query).message().data?.contains(#"action="refresh""#) == true)
    }

    @Test func webSocketGetsTheSame() throws {
        let start = try publish("zero")
        try publish("one")
        let socket = try PageWebSocket(port: server.port, path: "/streams?name=\(name)&since=\(start)")
        #expect(try socket.text().contains("one"))
        try publish("two")
        #expect(try socket.text().contains("two"))
    }

    /// Turbo keeps pages as they were, with the cursor of their rendering.
    @Test func aPageThatComesAgainSeesNoOlderState() throws {
        let start = try publish("zero")
        for text in ["one", "two", "three", "four"] { try publish(text) }
        let last = try publish("five")
        for _ in 0..<2 {
            let socket = try PageWebSocket(port: server.port, path: "/streams?name=\(name)&since=\(start)")
            #expect(try texts(socket.text()) == ["five"])
        }
        let source = try page("&since=\(start)")
        let message = try source.message()
        #expect(texts(message.data ?? "") == ["five"] && message.id == last)
        let again = try page("&since=\(start)", headers: [("Last-Event-ID", last)])
        #expect(try again.block().id == last)
        let next = try publish("six")
        #expect(try again.message().id == next)
    }

    private func texts(_ html: String) -> [Substring] {
        html.split(separator: "<template>").dropFirst().map { $0.prefix { $0 != "<" } }
    }

    @Test func expiredNameIsHealedByAReload() throws {
        let workspace = try DevelopmentWorkspace.existing(in: server.folder.path)
        let signer = try #require(StreamNameVerifier(keys: [.init(text: workspace.streamKey)]))
        let old = signer.sign(try #require(StreamName("room:1")), expires: Instant(milliseconds: 0))
        let page = try EventStreamClient(port: server.port, path: "/streams?name=\(old)")
        #expect(page.status == 200)
        #expect(try page.message().data?.contains(#"action="refresh""#) == true)
    }

    @Test func pagesOfOtherOriginsAreRefused() throws {
        #expect(try page("", headers: [("Origin", "https://evil.example")]).status == 403)
        #expect(try page("", headers: [("Origin", "http://127.0.0.1:\(server.port)")]).status == 200)
        let path = "/streams?name=\(name)"
        let evil = try RawWebSocket(port: server.port, path: path, headers: [("Origin", "https://evil.example")])
        #expect(evil.status == 403)
    }

    @Test func forgedNameIsRefused() throws {
        let forged = name.dropLast() + (name.hasSuffix("0") ? "1" : "0")
        #expect(try EventStreamClient(port: server.port, path: "/streams?name=\(forged)").status == 403)
        #expect(try RawWebSocket(port: server.port, path: "/streams?name=\(forged)").status == 403)
    }

    @Test func drainSendsPagesAwayAndExitsWithZero() throws {
        let page = try page()
        #expect(try page.block().id != nil)
        try server.stop(with: .terminate)
        #expect(try page.block().retry != nil)
        #expect(try page.messagesToEnd().isEmpty)
        #expect(try server.process.waitForExit() == 0)
    }
}
