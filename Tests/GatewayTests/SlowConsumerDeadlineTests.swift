import Domain
import HTTP
import Pages
import Support
import TestSupport
import Testing

@testable import Gateway

/// A page may read slowly, but it has to read: the deadline of slow readers, over every transport.
///
/// The loop's clock runs three times as fast as ours, and a cable client tells the time: it is pinged every three seconds.
@Suite(.blocking) struct SlowConsumerDeadlineTests {
    /// `PAYCAST_WRITE_SECONDS`, and its length in pings of the clock.
    private static let seconds = 15
    private static let pings = 5

    private let certificate: TemporaryCertificate

    init() throws {
        certificate = try TemporaryCertificate()
    }

    private func server(_ transport: SlowPage.Transport) throws -> ScriptedGateway {
        var limits = Limits()
        limits.writeSeconds = Self.seconds
        limits.queuedBytes = 1 << 20
        return try ScriptedGateway(
            certificate: transport.isEncrypted ? certificate : nil,
            limits: limits,
            tick: .milliseconds(30)
        )
    }

    @Test(arguments: SlowPage.Transport.allCases) func spareASteadyReader(_ transport: SlowPage.Transport) throws {
        let server = try server(transport)
        let page = try SlowPage(transport, port: server.gateway.port)
        let count = try server.publishUntilBehind()
        let clock = try ServerClock(of: server, isEncrypted: transport.isEncrypted)
        for _ in 0...(3 * Self.pings / transport.pings) {
            try clock.waitForPing(transport.pings)
            try page.take(transport.step)
        }
        // It has not taken everything in between.
        let deliveries = server.deliveries
        try server.publish(SlowPage.message(count), at: count)
        #expect(server.deliveries == deliveries)
        try server.publish("[end]", at: count + 1)
        try page.take(until: "[end]")
        #expect(page.numbers == Array(0...count))
        #expect(server.metrics.page().contains("paycast_slow_closed_total 0\n"))
    }

    @Test(arguments: SlowPage.Transport.allCases) func endAReaderThatStops(_ transport: SlowPage.Transport) throws {
        let server = try server(transport)
        let clock = try ServerClock(of: server, isEncrypted: transport.isEncrypted)
        let page = try SlowPage(transport, port: server.gateway.port)
        let count = try server.publishUntilBehind()
        try clock.waitForPing(Self.pings - 1)
        #expect(server.metrics.page().contains("paycast_slow_closed_total 0\n"))
        try server.waitFor("paycast_pages{transport=\"\(transport.label)\"} \(transport == .cable ? 1 : 0)")
        let metrics = server.metrics.page()
        #expect(metrics.contains("paycast_slow_closed_total 1\n"))
        #expect(metrics.contains("anycable_go_disconnected_slow_clients_total 1\n"))
        #expect(metrics.contains("paycast_overdue_closed_total{deadline=\"write\"} 0\n"))
        // What the kernel had taken comes, and nothing else.
        try page.takeRest()
        #expect(page.breaksOff)
        #expect(page.farewell == (transport == .http2 ? "RST_STREAM 8" : nil))
        let seen = page.numbers
        #expect(seen == Array(0..<seen.count))
        #expect(seen.count < count)
        // It comes back, and misses nothing.
        try server.publish("[end]", at: count)
        let cursor = "test-\(ScriptedGateway.position(of: seen.count) - 1)"
        let again = try SlowPage(transport, port: server.gateway.port, since: cursor)
        try again.take(until: "[end]")
        #expect(again.numbers == Array(seen.count..<count))
    }

    /// A ping waits behind all that was sent before: nobody who is still on the way to it is dead.
    @Test func spareAWebSocketThatIsStillReadingItsWayToThePing() throws {
        let server = try server(.webSocket)
        let page = try SlowPage(.webSocket, port: server.gateway.port)
        // The kernel takes them all: the page is not behind, so it is pinged.
        let count = 20
        for number in 0..<count { try server.publish(SlowPage.message(number), at: number) }
        #expect(server.deliveries == count)
        let clock = try ServerClock(of: server, isEncrypted: false)
        // Three heartbeats.
        for _ in 0..<15 {
            try clock.waitForPing()
            try page.take(SlowPage.Transport.webSocket.step)
        }
        try server.publish("[end]", at: count)
        try page.take(until: "[end]")
        #expect(page.numbers == Array(0..<count))
    }

    @Test func endAWebSocketThatAnswersNoPing() throws {
        let server = try server(.webSocket)
        let page = try SlowPage(.webSocket, port: server.gateway.port)
        try page.takeRest()
        try server.waitFor("paycast_pages{transport=\"websocket\"} 0")
        #expect(server.metrics.page().contains("paycast_slow_closed_total 0\n"))
    }
}

/// Tells the time of a loop: Action Cable's clients are pinged every three seconds.
private final class ServerClock {
    private let tunnel: TLSSocket?
    private let client: RawWebSocket

    init(of server: ScriptedGateway, isEncrypted: Bool) throws {
        let port = server.gateway.port
        tunnel = isEncrypted ? TLSSocket(port: port, options: ["-alpn", "http/1.1"]) : nil
        client = try RawWebSocket(
            over: tunnel?.socket ?? RawSocket(port: port),
            port: port,
            path: "/cable",
            subprotocols: ["actioncable-v1-json"]
        )
        #expect(try client.text().contains("welcome"))
    }

    func waitForPing(_ count: Int = 1) throws {
        for _ in 0..<count { #expect(try client.text().contains("ping")) }
    }
}

extension SlowPage {
    fileprivate static func message(_ number: Int) -> String {
        "[\(number)]" + String(decoding: filling, as: UTF8.self)
    }
}

extension ScriptedGateway {
    /// The position of a message in the ledger. Pages begin behind 7.
    fileprivate static func position(of number: Int) -> Int64 { Int64(number) + 8 }

    /// Returns when the loop has written it to the pages that take it.
    fileprivate func publish(_ text: String, at number: Int) throws {
        let stream = try #require(StreamName("x"))
        let position = ScriptedGateway.position(of: number)
        let part = Part(html: Array(text.utf8), collapseKey: nil)
        gateway.publish([Publication(transient: [Message(stream: stream, position: position, parts: [part])])])
        gateway.waitForLoops()
    }

    /// Until the page takes no more, and eight messages wait for it. Returns how many messages there are.
    fileprivate func publishUntilBehind() throws -> Int {
        var count = 0
        while count - deliveries < 8, count < 200 {
            try publish(SlowPage.message(count), at: count)
            count += 1
        }
        try #require(count < 200, "it was never behind")
        return count
    }
}
