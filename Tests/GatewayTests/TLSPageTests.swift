import Domain
import Pages
import Support
import TestSupport
import Testing

@testable import Gateway

/// Pages over TLS: in order, bounded when slow, gone when they leave.
@Suite(.serialized, .blocking) struct TLSPageTests {
    private let server: ScriptedGateway

    init() throws {
        server = try ScriptedGateway(certificate: TemporaryCertificate())
    }

    private func connect() -> TLSSocket { TLSSocket(port: server.gateway.port, options: ["-alpn", "http/1.1"]) }

    private func publish(_ text: String) throws {
        let stream = try #require(StreamName("x"))
        let message = Message(stream: stream, position: nil, parts: [Part(html: Array(text.utf8), collapseKey: nil)])
        server.gateway.publish([Publication(transient: [message])])
    }

    private func waitForPages(_ count: Int, transport: String) throws {
        try server.waitFor("paycast_pages{transport=\"\(transport)\"} \(count)")
    }

    @Test func eventStreamGetsEveryMessageInOrder() throws {
        let tunnel = connect()
        let page = try EventStreamClient(over: tunnel.socket, port: server.gateway.port, path: "/streams?name=x")
        #expect(page.status == 200)
        _ = try page.block()
        for number in 0..<200 { try publish("\(number)\(String(repeating: "x", count: number * 100))") }
        for number in 0..<200 { #expect(try page.message().data?.hasPrefix("\(number)x") ?? false || number == 0) }
    }

    @Test func webSocketGetsEveryMessageInOrder() throws {
        let tunnel = connect()
        let page = try RawWebSocket(over: tunnel.socket, port: server.gateway.port, path: "/streams?name=x")
        #expect(page.isAccepted)
        try page.send(.ping)
        while try page.frame().opcode != .pong {}
        for number in 0..<200 { try publish("\(number)\(String(repeating: "x", count: number * 100))") }
        for number in 0..<200 { #expect(try page.text().hasPrefix("\(number)")) }
    }

    @Test(arguments: ["sse", "websocket"]) func pageThatLeavesIsForgotten(_ transport: String) throws {
        var tunnel: TLSSocket? = connect()
        if let socket = tunnel?.socket, transport == "sse" {
            let page = try EventStreamClient(over: socket, port: server.gateway.port, path: "/streams?name=x")
            _ = try page.block()
        } else if let socket = tunnel?.socket {
            _ = try RawWebSocket(over: socket, port: server.gateway.port, path: "/streams?name=x")
        }
        try waitForPages(1, transport: transport)
        tunnel = nil
        try waitForPages(0, transport: transport)
    }

    @Test func slowPageIsClosedAndOthersMissNothing() throws {
        let (slowTunnel, fastTunnel) = (connect(), connect())
        let slow = try EventStreamClient(over: slowTunnel.socket, port: server.gateway.port, path: "/streams?name=x")
        _ = try slow.block()
        let fast = try EventStreamClient(over: fastTunnel.socket, port: server.gateway.port, path: "/streams?name=x")
        _ = try fast.block()
        let filling = String(repeating: "x", count: 60_000)
        var number = 0
        while !server.metrics.page().contains("paycast_slow_closed_total 1"), number < 2000 {
            try publish("\(number) \(filling)")
            #expect(try fast.message().data?.hasPrefix("\(number) ") == true)
            number += 1
        }
        #expect(number < 2000, "the slow page was never closed")
        withExtendedLifetime(slowTunnel) {}
    }

    /// Half of what it is sent is read late: nothing is lost or garbled on the way through our buffer and OpenSSL's.
    @Test func pageThatFallsBehindCatchesUp() throws {
        let tunnel = connect()
        let page = try RawWebSocket(over: tunnel.socket, port: server.gateway.port, path: "/streams?name=x")
        try page.send(.ping)
        while try page.frame().opcode != .pong {}
        for round in 0..<3 {
            for number in 0..<40 { try publish("\(round) \(number) \(String(repeating: "x", count: 50_000))") }
            for number in 0..<40 { #expect(try page.text().hasPrefix("\(round) \(number) ")) }
        }
    }
}
