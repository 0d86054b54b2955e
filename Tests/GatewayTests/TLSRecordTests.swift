import Admission
import Gateway
import TestSupport
import Testing

/// Records of TLS that hold no data: a loop reads few of them in a turn, and ends a connection that sends many.
@Suite(.serialized, .timeLimit(.minutes(30)), .blocking) struct TLSRecordTests {
    private static let request = "GET /up HTTP/1.1\r\nHost: x\r\n\r\n"

    struct Update: Sendable, CustomTestStringConvertible {
        var times: Int
        var asksPeer: Bool
        var isServed: Bool
        var testDescription: String { "\(times)\(asksPeer ? ", each to be answered" : "")" }
    }

    static let updates = [
        Update(times: 1, asksPeer: true, isServed: true),
        Update(times: 100, asksPeer: false, isServed: true),
        Update(times: 100, asksPeer: true, isServed: true),
        Update(times: 1000, asksPeer: false, isServed: false),
        Update(times: 1000, asksPeer: true, isServed: false),
    ]

    @Test(arguments: updates) func newKeysAreBounded(_ update: Update) throws {
        let server = try ScriptedGateway(certificate: TemporaryCertificate())
        let client = try TLSClient(port: server.gateway.port)
        client.updateKeys(times: update.times, asksPeer: update.asksPeer)
        try? client.send(TLSRecordTests.request)
        guard update.isServed else {
            #expect(try client.socket.readToEndOrReset().count < 30_000)
            return try TLSRecordTests.expectHealth(of: server)
        }
        #expect(try client.read(until: "up\n").hasPrefix("HTTP/1.1 200"))
    }

    /// What data comes with pays for a change of keys now and then, for as long as the connection lives.
    @Test func newKeysBetweenRequestsAreServed() throws {
        let server = try ScriptedGateway(certificate: TemporaryCertificate())
        let client = try TLSClient(port: server.gateway.port)
        for _ in 0..<600 {
            client.updateKeys(times: 1, asksPeer: true)
            try client.send(TLSRecordTests.request)
            #expect(try client.read(until: "up\n").hasPrefix("HTTP/1.1 200"))
        }
    }

    /// The server owes an answer in TLS that its full socket does not take: it waits for room, until the deadline.
    @Test func newKeysBehindAFullSocketDoNotSpin() throws {
        var limits = Limits()
        limits.writeSeconds = 3
        let server = try ScriptedGateway(certificate: TemporaryCertificate(), limits: limits)
        let client = try TLSClient(port: server.gateway.port, receiveBuffer: 4096)
        try client.send("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        for _ in 0..<20 {
            client.updateKeys(times: 1, asksPeer: true)
            try client.send(TLSRecordTests.request)
        }
        _ = try TLSRecordTests.expectHealth(of: server)
        let before = cpuTicks(of: server.gateway)
        _ = try? RawSocket(port: server.gateway.port, timeout: .seconds(1)).readSome()
        #expect(cpuTicks(of: server.gateway) - before < 30)
        try server.waitFor("paycast_connections 0")
    }

    private static func expectHealth(of server: ScriptedGateway) throws {
        let client = try TLSClient(port: server.gateway.port)
        try client.send(request)
        #expect(try client.read(until: "up\n").hasPrefix("HTTP/1.1 200"))
    }
}
