import Domain
import Hub
import Runtime
import TestSupport
import Testing

@testable import Gateway

/// A page that takes nothing costs a bounded number of bytes, and no other page a message.
@Suite(.timeLimit(.minutes(1))) struct SlowReaderTests {
    private func publish(_ number: Int, key: String?, on server: ScriptedGateway) throws {
        let html = Array("<b>\(number)</b>\(String(repeating: "x", count: 16_000))".utf8)
        let stream = try #require(StreamName("x"))
        let message = Message(stream: stream, position: nil, parts: [Part(html: html, collapseKey: key)])
        server.gateway.publish([Publication(transient: [message])])
    }

    private func slowPage(on server: ScriptedGateway) throws -> RawSocket {
        let slow = try server.connect()
        try slow.send("GET /streams?name=x HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try slow.read(until: "id: test-7\n\n")
        return slow
    }

    @Test func isClosedWhenItsQueueIsFullAndOthersMissNothing() throws {
        let server = try ScriptedGateway()
        let slow = try slowPage(on: server)
        let fast = try EventStreamClient(port: server.gateway.port, path: "/streams?name=x")
        #expect(try fast.block().id == "test-7")
        var number = 0
        while !server.metrics.page().contains("paycast_slow_closed_total 1"), number < 5000 {
            try publish(number, key: nil, on: server)
            #expect(try fast.message().data?.hasPrefix("<b>\(number)</b>") == true)
            number += 1
        }
        #expect(number < 5000, "the slow page was never closed")
        withExtendedLifetime(slow) {}
    }

    @Test func keepsOnlyTheNewestOfWhatReplacesItself() throws {
        let server = try ScriptedGateway()
        let slow = try slowPage(on: server)
        let fast = try EventStreamClient(port: server.gateway.port, path: "/streams?name=x")
        #expect(try fast.block().id == "test-7")
        for number in 0..<1000 {
            try publish(number, key: "replace paywall", on: server)
            #expect(try fast.message().data?.hasPrefix("<b>\(number)</b>") == true)
        }
        #expect(server.metrics.page().contains("paycast_slow_closed_total 0"))
        #expect(try slow.read(until: "<b>999</b>").contains("<b>0</b>"))
    }
}
