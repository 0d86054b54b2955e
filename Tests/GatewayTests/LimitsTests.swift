import Gateway
import HTTP
import Support
import TestSupport
import Testing

/// Nobody takes more than its share, and a full server still answers.
@Suite(.blocking) struct LimitsTests {
    private static let page = "GET /streams?name=x HTTP/1.1\r\nHost: x\r\n\r\n"
    private static let up = "GET /up HTTP/1.1\r\nHost: x\r\n\r\n"

    /// One page is connected, and that is all it takes.
    private func fullGateway() throws -> (server: ScriptedGateway, page: RawSocket) {
        let server = try ScriptedGateway(limits: Limits(connections: 1))
        let page = try server.connect()
        try page.send(LimitsTests.page)
        _ = try page.read(until: "id: test-7\n\n")
        return (server, page)
    }

    @Test func anEventSourceIsAskedToComeBack() throws {
        let (server, first) = try fullGateway()
        let answer = try server.exchange([LimitsTests.page])
        #expect(answer.hasPrefix("HTTP/1.1 200"))
        #expect(answer.contains("text/event-stream"))
        #expect(answer.contains("\r\n\r\nretry: "))
        #expect(server.metrics.page().contains("paycast_connections_refused_total{answer=\"retry\"} 1"))
        withExtendedLifetime(first) {}
    }

    @Test func aWebSocketIsRefusedAtTheUpgrade() throws {
        let (server, first) = try fullGateway()
        let refused = try RawWebSocket(port: server.gateway.port, path: "/streams?name=x")
        #expect(refused.status == 503)
        #expect(refused.header("Retry-After") == "5")
        withExtendedLifetime(first) {}
    }

    @Test func whoLeavesAgainIsAnsweredAndClosed() throws {
        let (server, first) = try fullGateway()
        let answer = try server.exchange([LimitsTests.up])
        #expect(answer.hasPrefix("HTTP/1.1 200"))
        #expect(answer.contains("Connection: close"))
        let order =
            "POST /orders HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer test-key\r\nContent-Length: 5\r\n\r\nhello"
        #expect(try server.exchange([order]).hasPrefix("HTTP/1.1 200"))
        withExtendedLifetime(first) {}
    }

    @Test func aSeatThatIsFreeAgainIsGiven() throws {
        let server = try fullGateway().server
        var head = ""
        // A page's end is seen at the next tick.
        for _ in 0..<10_000 where !head.contains("id: test-7") {
            let next = try server.connect()
            try next.send(LimitsTests.page)
            head = try next.read(until: "\n\n")
        }
        #expect(head.contains("id: test-7"))
    }

    @Test func beyondTheReserveNobodyIsHeard() throws {
        let (server, first) = try fullGateway()
        let others = try (0..<64).map { _ in
            let other = try server.connect()
            try other.send("POST /orders HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhell")
            return other
        }
        try server.waitFor("paycast_connections 65")
        #expect(try server.connect().readToEnd().isEmpty)
        #expect(server.metrics.page().contains("paycast_connections_refused_total{answer=\"none\"} 1"))
        withExtendedLifetime((first, others)) {}
    }

    /// Whoever never finishes a head keeps nobody out.
    @Test func silentConnectionsMakeRoom() throws {
        var limits = Limits()
        limits.connections = 20
        let server = try ScriptedGateway(limits: limits)
        let silent = try (0..<20).map { _ in
            let socket = try server.connect()
            try socket.send("GET /up HTTP/1.1\r\nHost: lo")
            return socket
        }
        try server.waitFor("paycast_connections 20")
        // Whoever has come just now is not sent away for another.
        var head = ""
        for _ in 0..<10_000 where !head.contains("id: test-7") {
            let page = try server.connect()
            try page.send(LimitsTests.page)
            head = try page.read(until: "\n\n")
        }
        #expect(head.contains("id: test-7"))
        #expect(try silent[0].readToEnd().isEmpty)
    }

    /// Nor does it where one loop accepts for all, and most of the silent ones are at others.
    @Test func silentConnectionsOfAllLoopsMakeRoom() throws {
        var limits = Limits()
        limits.connections = 20
        let server = try ScriptedGateway(loops: 4, limits: limits, inheriting: HeldSocket())
        let silent = try (0..<20).map { _ in
            let socket = try server.connect()
            try socket.send("GET /up HTTP/1.1\r\nHost: lo")
            return socket
        }
        try server.waitFor("paycast_connections 20")
        var pages: [RawSocket] = []
        for _ in 0..<20_000 where pages.count < 15 {
            let page = try server.connect()
            try page.send(LimitsTests.page)
            if try page.read(until: "\n\n").contains("id: test-7") { pages.append(page) }
        }
        #expect(pages.count == 15)
        withExtendedLifetime(silent) {}
    }

    @Test func aClientBehindAProxyHasItsShare() throws {
        var limits = Limits()
        limits.connectionsPerAddress = 2
        let server = try ScriptedGateway(limits: limits, proxies: localProxy())
        let answers = try ["203.0.113.7", "203.0.113.7", "203.0.113.7", "203.0.113.8"].map { client in
            let socket = try server.connect()
            try socket.send("GET /streams?name=x HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: \(client)\r\n\r\n")
            return (socket, try socket.read(until: "\n\n"))
        }
        #expect(answers.map { $0.1.contains("id: test-7") } == [true, true, false, true])
    }
}

func localProxy() throws -> [IPNetwork] {
    [try #require(IPNetwork("127.0.0.1"))]
}
