import Crypto
import Domain
import Simulator
import Support
import TestSupport
import Testing

/// A page that follows several streams over one connection, as it may at `/streams`.
@Suite(.blocking) struct SeveralStreamsTests {
    private let app: AppPost
    private let signer: StreamNameVerifier

    init() throws {
        app = try AppPost()
        signer = try #require(StreamNameVerifier(keys: [.init(text: app.workspace.streamKey)]))
    }

    private func name(_ stream: String, expires: Instant? = nil) throws -> String {
        signer.sign(try #require(StreamName(stream)), expires: expires).replacing("=", with: "%3D")
    }

    private func names(_ streams: String...) throws -> String {
        try streams.map { "name=\(try name($0))" }.joined(separator: "&")
    }

    private func page(_ query: String, headers: [(String, String)] = []) throws -> EventStreamClient {
        try EventStreamClient(port: app.server.port, path: "/streams?\(query)", headers: headers)
    }

    /// Returns the cursor.
    @discardableResult
    private func broadcast(_ text: String, to stream: String, target: String = "box") throws -> String {
        let members = ["stream": stream, "action": "update", "target": target, "html": text]
        let answer = try app.post("/broadcasts", members: members, isTrusted: true)
        return try String(#require(answer.body.firstMatch(of: /"([0-9a-z]+-\d+)"/)).1)
    }

    private func texts(_ html: String?) -> [String] {
        (html ?? "").split(separator: "<template>").dropFirst().map { String($0.prefix { $0 != "<" }) }
    }

    @Test func oneCursorIsEnoughForAll() throws {
        let start = try broadcast("zero", to: "a")
        let all = try names("a", "b", "user:42:paywall")
        let page = try page("\(all)&since=\(start)")
        #expect(try page.block().id == start)
        var last = ""
        for (text, stream) in [("one", "b"), ("two", "a"), ("three", "user:42:paywall"), ("four", "b")] {
            last = try broadcast(text, to: stream, target: text)
            let message = try page.message()
            #expect(message.id == last && texts(message.data) == [text])
        }
        try broadcast("another's", to: "c")
        // What it missed comes from memory, and from the ledger after a restart.
        for isRestarted in [false, true] {
            if isRestarted { try app.server.restart() }
            let missed = try self.page("\(all)&since=\(start)").message()
            #expect(texts(missed.data) == ["one", "two", "three", "four"] && missed.id?.hasSuffix("-6") == true)
            let back = try self.page("\(all)&since=\(start)", headers: [("Last-Event-ID", last)])
            #expect(try back.block().id?.hasSuffix("-6") == true)
        }
    }

    /// An element belongs to the page, whichever stream changes it: an older state never comes after a newer one.
    @Test func theNewestOfATargetWinsOnAllStreams() throws {
        let start = try broadcast("zero", to: "c")
        for (text, stream) in [("one", "a"), ("two", "b"), ("three", "a")] { try broadcast(text, to: stream) }
        for query in ["", "&since=\(start)", "&since=other000-5"] {
            #expect(try texts(page("\(names("b", "a"))\(query)").message().data) == ["three"])
        }
    }

    /// It asked for each stream apart, and says so.
    @Test func theOldestOfSeveralCursorsCounts() throws {
        let first = try broadcast("one", to: "a", target: "x")
        let second = try broadcast("two", to: "b", target: "y")
        try broadcast("three", to: "a", target: "z")
        let all = try names("a", "b")
        for (one, other) in [(first, second), (second, first)] {
            #expect(try texts(page("\(all)&since=\(one)&since=\(other)").message().data) == ["two", "three"])
            // What arrived since then is in the newer one.
            let back = try page("\(all)&since=\(one)&since=\(other)", headers: [("Last-Event-ID", second)])
            #expect(try texts(back.message().data) == ["three"])
        }
        #expect(try texts(page("\(all)&since=\(second)&since=other000-9").message().data) == ["one", "two", "three"])
    }

    @Test func anUnknownCursorReloadsAPageOnceForAllThatHaveNothing() throws {
        try broadcast("one", to: "a")
        let message = try page("\(names("a", "b", "c"))&since=other000-5").message()
        #expect(texts(message.data) == ["one"])
        #expect(message.data?.ranges(of: #"action="refresh""#).count == 1)
    }

    @Test func webSocketsGetTheSame() throws {
        let start = try broadcast("zero", to: "a")
        try broadcast("one", to: "b", target: "x")
        try broadcast("two", to: "a", target: "y")
        let path = "/streams?\(try names("a", "b"))&since=\(start)"
        let socket = try PageWebSocket(port: app.server.port, path: path)
        #expect(try texts(socket.text()) == ["one", "two"])
        try broadcast("three", to: "b")
        #expect(try texts(socket.text()) == ["three"])
        // It comes back with all of its names.
        app.server.process.send(.terminate)
        let moved = try socket.text()
        #expect(moved.ranges(of: "name=").count == 2 && moved.ranges(of: "[src*=").count == 2, "\(moved)")
    }

    @Test func theSameNameTwiceIsOne() throws {
        let other = try name("a", expires: Instant(milliseconds: 4_000_000_000_000))
        let page = try page("\(names("a", "a"))&name=\(other)")
        #expect(try page.block().id != nil)
        try broadcast("one", to: "a")
        #expect(try texts(page.message().data) == ["one"])
        // Seventeen, of which two are one.
        let seventeen = try (1...16).map { "name=\(try name("s\($0)"))" } + ["name=\(name("s1"))"]
        #expect(try self.page(seventeen.joined(separator: "&")).status == 200)
    }

    struct Refusal: Sendable {
        var streams: [String]
        var status = 403
        var code = "forged_stream_name"
        var says: String
    }

    private static let refusals = [
        Refusal(streams: ["forged"], says: "The name is not signed"),
        Refusal(streams: ["forged", "a"], says: "Name 1 of 2 is not signed"),
        Refusal(streams: ["a", "b", "forged"], says: "Name 3 of 3 is not signed"),
        // Loading the page again cures only the expiry.
        Refusal(streams: ["expired", "forged"], says: "Name 2 of 2 is not signed"),
        // A name counts once.
        Refusal(streams: ["expired", "a", "expired", "forged", "b"], says: "Name 3 of 4 is not signed"),
        Refusal(streams: ["forged", "expired"], says: "Name 1 of 2 is not signed"),
        Refusal(streams: (1...17).map { "s\($0)" }, status: 400, code: "too_many_names", says: "up to 16 streams"),
    ]

    @Test(arguments: refusals) func oneThatIsRefusedRefusesAll(_ refusal: Refusal) throws {
        let query = try refusal.streams.map { stream in
            switch stream {
            case "forged": "name=\(try name("a").dropLast(2))zz"
            case "expired": "name=\(try name("old", expires: Instant(milliseconds: 0)))"
            default: "name=\(try name(stream))"
            }
        }.joined(separator: "&")
        let answer = try app.post("/streams?\(query)", body: "", method: "GET")
        #expect(answer.status == refusal.status && answer["error"] == refusal.code, "\(answer.body)")
        #expect(answer["message"]?.contains(refusal.says) == true, "\(answer.body)")
        #expect(try RawWebSocket(port: app.server.port, path: "/streams?\(query)").status == refusal.status)
    }

    /// Loading the page again brings others, and the whole element goes.
    @Test func oneThatHasExpiredReloadsThePage() throws {
        let query = "\(try names("a"))&name=\(try name("b", expires: Instant(milliseconds: 0)))"
        let message = try page(query).message()
        #expect(message.data?.contains(#"action="refresh""#) == true)
        #expect(message.data?.ranges(of: "[src*=").count == 2)
        let soon = try name("b", expires: Clock().now() + .seconds(1))
        let page = try page("\(names("a"))&name=\(soon)")
        #expect(try page.message().data?.contains(#"action="refresh""#) == true)
        #expect(try page.messagesToEnd().isEmpty)
    }

    /// What a backend puts into a page for two users, or for a user and a stream of the app's own.
    @Test func theMarkupOfTwoSourcesIsOneElement() throws {
        let start = try broadcast("zero", to: "a")
        let answer = try app.get("/users/42/stream?\(names("room:1", "user:42:paywall"))")
        #expect(answer.status == 200 && answer["stream"] == "user:42:paywall", "\(answer.body)")
        let html = try #require(answer["html"])
        #expect(html.ranges(of: "<turbo-stream-source").count == 1 && html.ranges(of: "name=").count == 2)
        let alone = try #require(app.get("/users/42/stream")["html"])
        #expect(try id(of: html) != id(of: alone))
        let query = try #require(answer["sse"]?.split(separator: "?").last)
        let page = try page(String(query))
        #expect(try page.block().id == start)
        for (text, stream) in [("one", "room:1"), ("two", "user:42:paywall")] {
            try broadcast(text, to: stream)
            #expect(try texts(page.message().data) == [text])
        }
        let forged = try app.get("/users/42/stream?\(names("room:1"))&name=forged")
        #expect(forged.status == 403 && forged["message"]?.hasPrefix("Name 2 of 2 is not signed") == true)
    }

    private func id(of html: String) throws -> Substring { try #require(html.firstMatch(of: /id="([^"]*)"/)).1 }
}
