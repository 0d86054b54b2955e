import Gateway
import HTTP
import Support
import TestSupport
import Testing

/// What is no handshake is closed, at once or at the deadline, and nobody else notices.
@Suite(.serialized, .blocking) struct TLSAttackTests {
    private let server: ScriptedGateway

    init() throws {
        var limits = Limits()
        limits.headerSeconds = 1
        server = try ScriptedGateway(certificate: TemporaryCertificate(), limits: limits)
    }

    struct Attack: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var testDescription: String { name }

        init(_ name: String, bytes: [UInt8]) {
            self.name = name
            self.bytes = bytes
        }

        init(_ name: String, text: String) {
            self.init(name, bytes: Array(text.utf8))
        }
    }

    /// A record that announces a client hello of 512 bytes.
    private static let hello: [UInt8] = [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x03]

    static let attacks = [
        Attack("HTTP in the clear", text: "GET /up HTTP/1.1\r\nHost: x\r\n\r\n"),
        Attack("HTTP/2 preface in the clear", text: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        Attack("garbage", bytes: [UInt8](repeating: 0xFF, count: 20_000)),
        Attack("zeros", bytes: [UInt8](repeating: 0, count: 20_000)),
        Attack("handshake that stalls at once", bytes: []),
        Attack("handshake that stalls in its first record", bytes: hello),
        Attack("hello without sense", bytes: hello + [UInt8](repeating: 0x41, count: 505)),
        Attack(
            "hello that never ends",
            bytes: [0x16, 0x03, 0x01, 0x40, 0x00, 0x01, 0xFF, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 16_379)
        ),
        Attack("alert instead of a hello", bytes: [0x15, 0x03, 0x03, 0x00, 0x02, 0x01, 0x00]),
        Attack("application data instead of a hello", bytes: [0x17, 0x03, 0x03, 0x00, 0x03, 0x41, 0x41, 0x41]),
        Attack("heartbeat", bytes: [0x18, 0x03, 0x03, 0x00, 0x03, 0x01, 0x40, 0x00]),
        Attack("hellos one after the other", bytes: (0..<50).flatMap { _ in hello }),
    ]

    /// All at once, so that the deadline is waited for once.
    @Test func isClosed() throws {
        let before = cpuTicks(of: server.gateway)
        let sockets = try TLSAttackTests.attacks.map { attack in
            let socket = try server.connect()
            try? socket.send(attack.bytes)
            return socket
        }
        try expectHealth()
        for (attack, socket) in zip(TLSAttackTests.attacks, sockets) {
            let answer = try socket.readToEndOrReset()
            #expect(!answer.starts(with: "HTTP/".utf8), "\(attack)")
        }
        #expect(cpuTicks(of: server.gateway) - before < 60)
    }

    /// One after another by the thousand: each holds a descriptor and a head's memory until its deadline.
    @Test func stalledHandshakesHoldUpNobody() throws {
        FileLimit.set(20_000)
        var stalled: [RawSocket] = []
        for number in 0..<1500 {
            let socket = try server.connect()
            if number % 2 == 0 { try socket.send(TLSAttackTests.hello) }
            stalled.append(socket)
        }
        try expectHealth()
        for socket in stalled { #expect(try socket.readToEnd().isEmpty) }
        try expectHealth()
    }

    /// After the handshake the deadline runs again: until a request's head is whole.
    @Test func stalledRequestIsClosed() throws {
        let tunnels = ["", "GET /up HTTP/1.1\r\nHost: x\r\nX-Slow: "].map { start in
            let tunnel = TLSSocket(port: server.gateway.port)
            try? tunnel.socket.send(start)
            return tunnel
        }
        for tunnel in tunnels { #expect(try tunnel.socket.readToEnd().isEmpty) }
    }

    /// No frame of HTTP/2 reaches a parser of HTTP/2 that was not negotiated.
    @Test(arguments: [["-alpn", "http/1.1"], []]) func prefaceOfHTTP2IsNoRequest(_ options: [String])
        throws
    {
        let tunnel = TLSSocket(port: server.gateway.port, options: options)
        let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        let ping: [UInt8] = [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8]
        try tunnel.socket.send(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings + ping)
        let answer = String(decoding: try tunnel.socket.readToEnd(), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 400"))
        try expectHealth()
    }

    /// Connections that stay open after misuse: bytes that nobody reads must not keep the loop busy.
    @Test func doesNotSpinTheLoop() throws {
        let starts = [
            "GET /streams?name=x HTTP/1.1\r\nHost: x\r\n\r\n",
            "GET /streams?name=x HTTP/1.1\r\nHost: x\r\n\r\nGET /up HTTP/1.1\r\n\r\n",
            "GET /up HTTP/1.1\r\nHost: x\r\n\r\nPOST /orders HTTP/1.1\r\nContent-Le",
            "POST /orders HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\nonly a part",
        ]
        let tunnels = starts.map { start in
            let tunnel = TLSSocket(port: server.gateway.port)
            try? tunnel.socket.send(start)
            return tunnel
        }
        let before = cpuTicks(of: server.gateway)
        _ = try? RawSocket(port: server.gateway.port, timeout: .milliseconds(500)).readSome()
        #expect(cpuTicks(of: server.gateway) - before < 30)
        withExtendedLifetime(tunnels) {}
    }

    private func expectHealth() throws {
        let health = TLSSocket(port: server.gateway.port)
        try health.socket.send("GET /up HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try health.socket.read(until: "up\n").hasPrefix("HTTP/1.1 200"))
    }
}
