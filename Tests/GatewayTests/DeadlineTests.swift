import Gateway
import HTTP
import Support
import TestSupport
import Testing

/// Whoever is slow, or silent, is let go: a byte now and then gains no time.
@Suite(.blocking) struct DeadlineTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var deadline: String
        var start: String
        /// Sent byte by byte, again and again.
        var trickle = ""
        var testDescription: String { "\(deadline): \(start.prefix(30)) \(trickle)" }
    }

    static let cases = [
        Case(deadline: "header", start: ""),
        Case(deadline: "header", start: "GET /up HT"),
        Case(deadline: "header", start: "GET /up HTTP/1.1\r\nX: ", trickle: "a"),
        Case(deadline: "body", start: "POST /orders HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n"),
        Case(deadline: "body", start: "POST /orders HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n", trickle: "a"),
        Case(deadline: "idle", start: "GET /up HTTP/1.1\r\nHost: x\r\n\r\n"),
        Case(deadline: "idle", start: "GET /up HTTP/1.1\r\nHost: x\r\n\r\nGET /up HTTP/1.1\r\nX: ", trickle: "a"),
    ]

    private func limits() -> Limits {
        var limits = Limits()
        (limits.headerSeconds, limits.bodySeconds, limits.idleSeconds, limits.writeSeconds) = (1, 1, 1, 1)
        return limits
    }

    @Test(arguments: cases) func closes(_ example: Case) throws {
        let server = try ScriptedGateway(limits: limits())
        let socket = try server.connect(timeout: .milliseconds(100))
        try socket.send(example.start)
        while try isOpen(socket) { try socket.send(example.trickle) }
        #expect(server.metrics.page().contains("paycast_overdue_closed_total{deadline=\"\(example.deadline)\"} 1"))
    }

    /// Each burst has more records than the loop reads from one connection in a row, so that its rest is read at the next
    /// turn.
    @Test func recordsOfOneByteGainNoTime() throws {
        let server = try ScriptedGateway(certificate: TemporaryCertificate(), limits: limits())
        let client = try TLSClient(port: server.gateway.port)
        try client.send("GET /up HTTP/1.1\r\nX: ")
        let burst = [[UInt8]](repeating: Array("a".utf8), count: 10)
        let line = "paycast_overdue_closed_total{deadline=\"header\"} 1\n"
        try Deadline(.seconds(60)).wait(for: line) {
            // The server may be closing just now.
            try? client.send(records: burst)
            return server.metrics.page().contains(line)
        }
    }

    @Test func closesWhoTakesNothingOfAnAnswer() throws {
        let server = try ScriptedGateway(limits: limits())
        let socket = try server.connect()
        try socket.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try socket.read(until: "\r\n\r\n")
        let page = try server.connect(timeout: .milliseconds(200))
        try page.send("GET /streams?name=x HTTP/1.1\r\nHost: x\r\n\r\n")
        try Deadline(.seconds(60)).wait(for: "the end") {
            _ = try? page.readSome()
            return server.metrics.page().contains("paycast_overdue_closed_total{deadline=\"write\"} 1")
        }
        withExtendedLifetime(socket) {}
    }

    @Test func leavesAPageAlone() throws {
        let server = try ScriptedGateway(limits: limits())
        let page = try server.connect(timeout: .milliseconds(2500))
        try page.send("GET /streams?name=x HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try page.read(until: "id: test-7\n\n")
        // Nothing, or a heartbeat.
        #expect(try isOpen(page))
    }

    private func isOpen(_ socket: RawSocket) throws -> Bool {
        do throws(RawSocketError) {
            return try !socket.readSome().isEmpty
        } catch .timedOut {
            return true
        } catch {
            return false
        }
    }
}
