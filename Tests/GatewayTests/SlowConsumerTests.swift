import Domain
import HTTP
import Pages
import Support
import TestSupport
import Testing

@testable import Gateway

/// A page that takes nothing costs a bounded number of bytes, and no other page a message.
@Suite(.blocking) struct SlowConsumerTests {
    private func publish(
        _ number: Int,
        key: CollapseKey?,
        to stream: String = "x",
        on server: ScriptedGateway
    ) throws {
        let html = Array("<b>\(number)</b>\(String(repeating: "x", count: 60_000))".utf8)
        let stream = try #require(StreamName(stream))
        let message = Message(stream: stream, position: nil, parts: [Part(html: html, collapseKey: key)])
        server.gateway.publish([Publication(transient: [message])])
    }

    /// Until the only page of this stream takes no more.
    private func publishUntilBehind(to stream: String, on server: ScriptedGateway) throws {
        var number = 0
        while server.deliveries == number, number < 200 {
            try publish(number, key: nil, to: stream, on: server)
            server.gateway.waitForLoops()
            number += 1
        }
        try #require(number < 200, "it was never behind")
    }

    private func slowPage(on server: ScriptedGateway) throws -> RawSocket {
        let slow = try server.connect()
        try slow.send("GET /streams?name=x HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try slow.read(until: "id: test-7\n\n")
        return slow
    }

    /// Established once its socket answers a ping: from then on it gets what is published.
    private func page(on server: ScriptedGateway) throws -> RawWebSocket {
        let page = try RawWebSocket(port: server.gateway.port, path: "/streams?name=x")
        try page.send(.ping)
        while try page.frame().opcode != .pong {}
        return page
    }

    @Test func isClosedWhenItsQueueIsFullAndOthersMissNothing() throws {
        let server = try ScriptedGateway()
        let slow = try slowPage(on: server)
        let fast = try page(on: server)
        var number = 0
        while !server.metrics.page().contains("paycast_slow_closed_total 1"), number < 2000 {
            try publish(number, key: nil, on: server)
            #expect(try fast.text().hasPrefix("<b>\(number)</b>"))
            number += 1
        }
        #expect(number < 2000, "the slow page was never closed")
        withExtendedLifetime(slow) {}
    }

    /// Several of its queues are full at once.
    @Test func isCountedOnce() throws {
        let server = try ScriptedGateway()
        let slow = try CableClient(port: server.gateway.port)
        for identifier in [
            CableClient.identifier("y"), CableClient.identifier("x"), CableClient.identifier("x", since: "test-7"),
        ] {
            #expect(try slow.subscribe(identifier) == "confirm_subscription")
        }
        try publishUntilBehind(to: "y", on: server)
        for number in 0..<10 { try publish(number, key: nil, on: server) }
        try server.waitFor("paycast_pages{transport=\"cable\"} 0")
        #expect(server.metrics.page().contains("paycast_slow_closed_total 1\n"))
    }

    /// A confirmation is owed even to a client whose socket takes no more, but not without a bound: it repeats an
    /// identifier of 4 KB for a command of 4 KB.
    @Test func isEndedWhenItSubscribesAgainAndAgain() throws {
        var limits = Limits()
        limits.writeSeconds = 3600
        let server = try ScriptedGateway(limits: limits)
        let slow = try CableClient(port: server.gateway.port)
        let name = String(repeating: "x", count: 3900)
        let identifier = #"{"channel":"Turbo::StreamsChannel","signed_stream_name":"y","x":"\#(name)"}"#
        #expect(try slow.subscribe(identifier) == "confirm_subscription")
        try publishUntilBehind(to: "y", on: server)
        // What it missed is read in between, or the next command would take the subscription back: by then, another
        // client has been served twice.
        let clock = try CableClient(port: server.gateway.port)
        let other = CableClient.identifier("z")
        for _ in 0..<120 where server.metrics.page().contains("paycast_slow_closed_total 0\n") {
            for command in ["unsubscribe", "subscribe"] { try? slow.send(command, identifier: identifier) }
            for _ in 0..<2 {
                #expect(try clock.subscribe(other) == "confirm_subscription")
                try clock.send("unsubscribe", identifier: other)
            }
        }
        try server.waitFor("paycast_pages{transport=\"cable\"} 1")
        #expect(server.metrics.page().contains("paycast_slow_closed_total 1\n"))
        #expect(server.metrics.page().contains("paycast_cable_abusive_total 0\n"))
    }

    @Test func keepsOnlyTheNewestOfWhatReplacesItself() throws {
        let server = try ScriptedGateway()
        let slow = try page(on: server)
        let fast = try page(on: server)
        for number in 0..<300 {
            try publish(number, key: "replace paywall", on: server)
            #expect(try fast.text().hasPrefix("<b>\(number)</b>"))
        }
        #expect(server.metrics.page().contains("paycast_slow_closed_total 0"))
        var frames = 1
        while try !slow.text().hasPrefix("<b>299</b>") { frames += 1 }
        #expect(frames < 300, "nothing was collapsed")
    }
}
