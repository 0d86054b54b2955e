import Domain
import Encoding
import Pages
import TestSupport
import Testing

@testable import Gateway

/// A client of the extended protocol that comes back and never asks for its history goes on from what has certainly arrived.
@Suite(.blocking) struct CableArrivalTests {
    private let server: ScriptedGateway

    init() throws {
        // A ping every 150 ms.
        server = try ScriptedGateway(tick: .milliseconds(5))
    }

    private func client(resuming sid: String? = nil) throws -> CableClient {
        let query = sid.map { "?sid=\($0)" } ?? ""
        return try CableClient(port: server.gateway.port, query: query, subprotocol: "actioncable-v1-ext-json")
    }

    private func publish(_ html: String, at position: Int64) throws {
        let stream = try #require(StreamName("x"))
        let part = Part(html: Array(html.utf8), collapseKey: nil)
        let message = Message(stream: stream, position: position, parts: [part])
        server.gateway.publish([Publication(transient: [message])])
        server.gateway.ports[0].send(.run { $0.hub.advance(to: position) })
    }

    /// By its second ping, a server knows that what came before the first has arrived.
    private func awaitPings(_ client: CableClient?) throws {
        for _ in 0..<2 { while try client?.webSocket.text().contains(#""type":"ping""#) == false {} }
    }

    @Test func whatIsOnItsWayIsSentAgain() throws {
        var first: CableClient? = try client()
        first?.webSocket.socket.limitReceiveBuffer(to: 4096)
        let sid = try #require(first?.welcome["sid"]?.text)
        #expect(try first?.subscribe(CableClient.identifier("x", since: "test-7")) == "confirm_subscription")
        try publish("<b>8</b>", at: 8)
        #expect(try first?.html() == "<b>8</b>")
        try awaitPings(first)
        try publish("<b>9</b>" + String(repeating: "x", count: 200_000), at: 9)
        server.gateway.waitForLoops()
        first = nil
        try server.waitFor(#"paycast_pages{transport="cable"} 0"#)
        try publish("<b>10</b>", at: 10)
        let second = try client(resuming: sid)
        #expect(second.welcome["restored"]?.boolean == true)
        let missed = try second.html()
        #expect(missed.hasPrefix("<b>9</b>x"), "\(missed.prefix(20))")
        #expect(missed.hasSuffix("<b>10</b>") ? true : try second.html() == "<b>10</b>")
    }

    /// Its end, or a reset, was there before the message was written.
    @Test(arguments: [false, true]) func withoutAProofItGoesOnFromItsPage(isReset: Bool) throws {
        var first: CableClient? = try client()
        let sid = try #require(first?.welcome["sid"]?.text)
        #expect(try first?.subscribe(CableClient.identifier("x", since: "test-7")) == "confirm_subscription")
        let held = HeldLoop(of: server.gateway)
        try publish("<b>8</b>", at: 8)
        if isReset { first?.webSocket.socket.resetWhenClosed() }
        first = nil
        held.release()
        try server.waitFor(#"paycast_pages{transport="cable"} 0"#)
        #expect(try client(resuming: sid).html() == "<b>8</b>")
    }

    /// The next connection ends before it has said anything, too.
    @Test func whatIsKnownOutlivesAnotherBreak() throws {
        var client: CableClient? = try client()
        var sid = try #require(client?.welcome["sid"]?.text)
        #expect(try client?.subscribe(CableClient.identifier("x", since: "test-7")) == "confirm_subscription")
        try publish("<b>8</b>", at: 8)
        #expect(try client?.html() == "<b>8</b>")
        try awaitPings(client)
        for _ in 0..<2 {
            client = nil
            try server.waitFor(#"paycast_pages{transport="cable"} 0"#)
            client = try self.client(resuming: sid)
            sid = try #require(client?.welcome["sid"]?.text)
        }
        try publish("<b>9</b>", at: 9)
        #expect(try client?.html() == "<b>9</b>")
    }
}
