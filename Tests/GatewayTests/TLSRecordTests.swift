import Gateway
import HTTP
import TestSupport
import Testing

/// Records of TLS that hold no data: a loop reads few of them in a turn, and ends a connection that sends many.
@Suite(.serialized, .blocking) struct TLSRecordTests {
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

    /// A client that reads nothing fills its socket with the server's answers to its new keys, and pays for each with a byte
    /// of a request: the loop sleeps until there is room, or the request's time is up.
    @Test func newKeysBehindAFullSocketDoNotSpin() throws {
        var limits = Limits()
        limits.bodySeconds = 120
        let server = try ScriptedGateway(certificate: TemporaryCertificate(), limits: limits)
        let client = try TLSClient(port: server.gateway.port, receiveBuffer: 64 << 10)
        // Linux keeps 4 MB for a socket at most (tcp_wmem): the answers to these take a part, those in TLS the rest.
        for _ in 0..<90 { try client.send(String(repeating: TLSRecordTests.request, count: 100)) }
        try client.send("POST /broadcasts HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n")
        for _ in 0..<1200 {
            // A server that reads no more has a full socket.
            guard (try? client.sendWithNewKeys(Array(repeating: [0x78], count: 100))) != nil else { break }
        }
        try Deadline(.seconds(100)).wait(for: "a second in which the loop sleeps") {
            let before = cpuTicks(of: server.gateway)
            _ = try? server.connect(timeout: .seconds(1)).readSome()
            return cpuTicks(of: server.gateway) - before < 30
        }
        try server.waitFor("paycast_connections 1")
        try TLSRecordTests.expectHealth(of: server)
    }

    private static func expectHealth(of server: ScriptedGateway) throws {
        let client = try TLSClient(port: server.gateway.port)
        try client.send(request)
        #expect(try client.read(until: "up\n").hasPrefix("HTTP/1.1 200"))
    }
}
