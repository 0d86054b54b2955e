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

    /// An erasure forgets the user. The names that were signed before would come back with the user.
    @Test func anErasureLetsNoNameInAgain() throws {
        let app = try AppPost()
        let old = try app.stream(of: "42")
        #expect(try end("42", at: app).status == 200)
        let between = try app.stream(of: "42")
        #expect(try app.post("/users/42", body: "", isTrusted: true, method: "DELETE").status == 200)
        for isRestarted in [false, true] {
            if isRestarted { try app.server.restart() }
            try expectRefused(old, at: app)
            let asked = try #require(app.get("/users/42/stream")["signed_stream"])
            for name in [between, try app.stream(of: "42"), asked] {
                let path = "/streams?name=\(escaped(name))"
                #expect(try EventStreamClient(port: app.server.port, path: path).status == 200)
            }
        }
    }

    /// Nothing is committed about an erased user: no node may remember what the others never hear of.
    @Test func nothingOfAnErasedUserEnds() throws {
        let app = try AppPost()
        #expect(try app.post("/users/42", body: "", isTrusted: true, method: "DELETE").status == 200)
        let name = try #require(app.get("/users/42/stream")["signed_stream"])
        #expect(try end("42", at: app).status == 200)
        #expect(try EventStreamClient(port: app.server.port, path: "/streams?name=\(escaped(name))").status == 200)
        #expect(try app.get("/users/42/stream")["signed_stream"] == name)
    }

    /// It counts on from where it was: what a name says of the past that is gone may be ahead.
    @Test func aNameOfTheLedgerBeforeARestoreIsOlder() throws {
        let app = try AppPost()
        _ = try app.post("/broadcasts", members: ["stream": "room:1", "html": "<p></p>"], isTrusted: true)
        let backup = app.server.paycast("backup", "copy.db")
        #expect(try backup.waitForExit() == 0, "\(backup.errors)")
        for _ in 0..<9 { #expect(try end("42", at: app).status == 200) }
        let stolen = try app.stream(of: "42")
        try app.server.stop(with: .terminate)
        let restore = app.server.paycast("restore", "copy.db")
        #expect(try restore.waitForExit() == 0, "\(restore.errors)")
        try app.server.start()
        // Nobody's pages were ended in the past that counts.
        let page = try EventStreamClient(port: app.server.port, path: "/streams?name=\(escaped(stolen))")
        #expect(try page.block().id != nil)
        #expect(try end("42", at: app).status == 200)
        #expect(try page.messagesToEnd().isEmpty)
        try expectRefused(stolen, at: app)
        #expect(try app.page("42").block().id != nil)
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

    /// The app logs the user in again through another node, which hears of the end a moment later.
    @Test func aNodeThatHasNotHeardOfItSignsNamesThatLast() throws {
        let nodes = try PostgresNodes()
        let wish = #"{"user":"42","product":"paycast.pro.monthly"}"#
        var given: [String] = []
        for round in 1...20 {
            try nodes.ask("DELETE", "/users/42/pages", on: 0)
            let order = JSONNode(try nodes.ask("POST", "/orders", body: wish, on: 1))
            let stream = JSONNode(try nodes.ask("GET", "/users/42/stream", on: 1))
            let found = JSONNode(try nodes.ask("GET", "/orders/\(order?["order"]?.text ?? "")", on: 1))
            let names = [order, stream, found].map { $0?["signed_stream"]?.text ?? "" }
            #expect(names.allSatisfy { $0 == names[0] }, "\(names)")
            given.append(names[0])
            #expect(Set(given).count == round)
        }
        func status(of name: String, on node: Int) throws -> Int {
            let path = "/streams?name=\(AddressText.queryEscaped(name))"
            return try EventStreamClient(port: nodes[node].port, path: path).status
        }
        // Then it has heard of the last end, too.
        try Deadline(.seconds(60)).wait(for: "the end") { try status(of: given[18], on: 1) == 403 }
        for node in [0, 1] { #expect(try status(of: given[19], on: node) == 200) }
    }

    /// Erasing the user makes no node forget the end, nor does starting one of them again.
    @Test func nodesAgreeAfterAnErasure() throws {
        let nodes = try PostgresNodes()
        try nodes.ask("DELETE", "/users/42/pages", on: 0)
        try Deadline(.seconds(60)).wait(for: "the end") { try nodes.page(on: 1).status == 403 }
        try nodes.ask("DELETE", "/users/42", on: 0)
        try nodes[0].restart()
        for node in [0, 1] {
            #expect(try nodes.page(on: node).status == 403)
            let answer = JSONNode(try nodes.ask("GET", "/users/42/stream", on: node))
            let path = "/streams?name=\(AddressText.queryEscaped(answer?["signed_stream"]?.text ?? ""))"
            for other in nodes.nodes { #expect(try EventStreamClient(port: other.port, path: path).status == 200) }
        }
    }
}
