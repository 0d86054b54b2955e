import Crypto
import Domain
import Encoding
import Simulator
import TestSupport
import Testing

/// After a log-out elsewhere, or a ban: a user's open pages end, and what they were opened with is worth nothing.
@Suite(.blocking) struct EndedPagesTests {
    private func end(_ user: String, at app: AppPost, query: String = "") throws -> AppPost.Answer {
        try app.post("/users/\(user)/pages\(query)", body: "", isTrusted: true, method: "DELETE")
    }

    private func escaped(_ name: String) -> String { AddressText.queryEscaped(name) }

    @Test func openPagesEndOnEveryTransport() throws {
        let app = try AppPost()
        let (name, others) = try (app.stream(of: "42"), app.stream(of: "43"))
        let path = "/streams?name=\(escaped(name))"
        let source = try EventStreamClient(port: app.server.port, path: path)
        let both = try EventStreamClient(port: app.server.port, path: "\(path)&name=\(escaped(others))")
        let other = try EventStreamClient(port: app.server.port, path: "/streams?name=\(escaped(others))")
        for page in [source, both, other] { #expect(try page.block().id != nil) }
        let socket = try RawWebSocket(port: app.server.port, path: path)
        let cable = try CableClient(port: app.server.port)
        #expect(try cable.subscribe(CableClient.identifier(name)) == "confirm_subscription")
        let answer = try end("42", at: app)
        #expect(answer.status == 200 && answer["user"] == "42" && answer["since"] != nil, "\(answer.body)")
        #expect(try source.messagesToEnd().isEmpty && both.messagesToEnd().isEmpty)
        var frame = try socket.frame()
        while frame.opcode != .close { frame = try socket.frame() }
        #expect(frame.payload == [3, 240])
        let farewell = try cable.next()
        #expect(farewell["type"]?.text == "disconnect" && farewell["reconnect"]?.boolean == false)
        #expect(farewell["reason"]?.text == "remote")
        #expect(try cable.closeCode() == 1008)
        let mark = #"<turbo-stream action="remove" target="mark"></turbo-stream>"#
        _ = try app.post("/broadcasts", members: ["user": "43", "html": mark], isTrusted: true)
        #expect(try other.message().data == mark)
    }

    /// Also by a server that starts again, until pages are ended once more.
    @Test func namesThatWereSignedBeforeAreRefused() throws {
        let app = try AppPost()
        var old = try app.stream(of: "42")
        for isRestarted in [false, true, false] {
            if isRestarted { try app.server.restart() } else { #expect(try end("42", at: app).status == 200) }
            try expectRefused(old, at: app)
            let new = try app.stream(of: "42")
            #expect(try app.page("42").block().id != nil)
            #expect(try app.post("/entitlements?name=\(escaped(new))", body: "", method: "GET").status == 200)
            let cable = try CableClient(port: app.server.port)
            #expect(try cable.subscribe(CableClient.identifier(new)) == "confirm_subscription")
            if isRestarted { old = new }
        }
    }

    private func expectRefused(_ name: String, at app: AppPost) throws {
        let path = "/streams?name=\(escaped(name))"
        let source = try app.post(path, body: "", method: "GET")
        #expect(source.status == 403 && source["error"] == "ended_stream_name", "\(source.body)")
        #expect(try RawWebSocket(port: app.server.port, path: path).status == 403)
        let cable = try CableClient(port: app.server.port)
        #expect(try cable.subscribe(CableClient.identifier(name)) == "reject_subscription")
        #expect(try app.post("/entitlements?name=\(escaped(name))", body: "", method: "GET").status == 403)
        let transaction = try app.store.transaction(app.purchase("7"))
        let posted = try app.post("/transactions/apple", members: ["signedTransaction": transaction, "stream": name])
        #expect(posted.status == 403 && posted["error"] == "ended_stream_name", "\(posted.body)")
    }

    /// Rails signs the same name ever again, with or without an end: it does not say when.
    @Test func namesThatTheAppSignsItselfAreRefused() throws {
        let app = try AppPost()
        let signer = try #require(StreamNameVerifier(keys: [.init(text: app.workspace.streamKey)]))
        let stream = try #require(StreamName("user:42:paywall"))
        let names = [signer.sign(stream), signer.sign(stream, expires: Instant(milliseconds: 4_000_000_000_000))]
        for name in names {
            let page = try EventStreamClient(port: app.server.port, path: "/streams?name=\(escaped(name))")
            #expect(page.status == 200)
        }
        #expect(try end("42", at: app).status == 200)
        for name in names { try expectRefused(name, at: app) }
        let own = signer.sign(try #require(StreamName("room:1")))
        #expect(try EventStreamClient(port: app.server.port, path: "/streams?name=\(escaped(own))").status == 200)
    }

    @Test func itSaysWhoDidItAndWhy() throws {
        let app = try AppPost(["PAYCAST_KEYS": "desk:read+act:\(key),reader:read:\(key)x"])
        func end(_ key: String) throws -> Int {
            try app.post(
                "/users/42/pages?reason=banned",
                body: "",
                headers: [("Authorization", "Bearer \(key)")],
                method: "DELETE"
            ).status
        }
        #expect(try end(key + "x") == 403)
        #expect(try end("") == 401)
        #expect(try end(key) == 200)
        #expect(try self.end("42", at: app, query: "?reason=42%20was%20banned").status == 400)
        let entries = try app.get("/audit?user=42").json?["entries"]?.items ?? []
        #expect(entries.map { $0["action"]?.text } == ["end_pages"])
        #expect(entries.first?["actor"]?.text == "desk" && entries.first?["reason"]?.text == "banned")
        let events = try app.get("/users/42/events").json?["events"]?.items ?? []
        #expect(events.map { $0["kind"]?.text } == ["pages.ended"])
    }

    private let key = "key-of-the-desk-0123456789abcdef0123456789"

    @Test(arguments: LookAlike.all) func aLookAlikeKeepsItsPages(_ pair: LookAlike) throws {
        let app = try AppPost()
        let page = try app.page(pair.other)
        #expect(try page.block().id != nil)
        let user = PercentEncoding.encode(pair.one)
        #expect(try end(user, at: app).status == 200)
        #expect(try app.told(page, of: pair.other).isEmpty)
        #expect(try app.page(pair.other).block().id != nil)
    }
}

/// The nodes of one ledger.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct EndedPagesNodesTests {
    @Test func pagesEndAtAllNodes() throws {
        let nodes = try PostgresNodes()
        let pages = try [0, 1].map { try nodes.page(on: $0) }
        for page in pages { #expect(try page.block().id != nil) }
        try nodes.ask("DELETE", "/users/42/pages", on: 0)
        for page in pages { #expect(try page.messagesToEnd().isEmpty) }
        for node in [0, 1] {
            #expect(try nodes.page(on: node).status == 403)
            try nodes[node].restart()
            #expect(try nodes.page(on: node).status == 403)
            let answer = JSONNode(try nodes.ask("GET", "/users/42/stream", on: node))
            let name = AddressText.queryEscaped(answer?["signed_stream"]?.text ?? "")
            let other = nodes[1 - node].port
            #expect(try EventStreamClient(port: other, path: "/streams?name=\(name)").status == 200)
        }
    }
}
