import Gateway
import TestSupport
import Testing

/// Everything that is served in the clear is served over TLS, by the same rules.
@Suite(.serialized, .blocking) struct TLSTests {
    private let certificate: TemporaryCertificate
    private let server: ScriptedGateway

    init() throws {
        certificate = try TemporaryCertificate()
        server = try ScriptedGateway(certificate: certificate)
    }

    private func connect(_ options: String...) -> TLSSocket {
        TLSSocket(port: server.gateway.port, options: ["-alpn", "http/1.1"] + options)
    }

    struct Exchange: Sendable, CustomTestStringConvertible {
        var name: String
        var request: String
        var testDescription: String { name }
    }

    private static func post(_ path: String, body: String, headers: String = "") -> String {
        "POST \(path) HTTP/1.1\r\nHost: x\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private static let last = "Connection: close\r\n"

    static let exchanges = [
        Exchange(name: "GET", request: "GET /up HTTP/1.1\r\nHost: x\r\n\(last)\r\n"),
        Exchange(name: "HEAD", request: "HEAD /up HTTP/1.1\r\nHost: x\r\n\(last)\r\n"),
        Exchange(name: "nothing there", request: post("/nothing", body: "", headers: last)),
        Exchange(name: "wrong method", request: post("/up", body: "", headers: last)),
        Exchange(name: "small body", request: post("/orders", body: "hello", headers: last)),
        Exchange(
            name: "body of many records",
            request: post("/orders", body: String(repeating: "x", count: 250_000), headers: last)
        ),
        Exchange(
            name: "queue that is full",
            request: "GET /users/1/entitlements HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
        ),
        Exchange(name: "no HTTP", request: "hello\r\n\r\n"),
        Exchange(
            name: "WebSocket where none is",
            request: "GET /up HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ),
    ]

    @Test(arguments: exchanges) func answersWithTheSameBytes(_ exchange: Exchange) throws {
        let clear = try undated(ScriptedGateway().exchange([exchange.request]))
        let secure = connect()
        try secure.socket.send(exchange.request)
        #expect(try undated(String(decoding: secure.socket.readToEnd(), as: UTF8.self)) == clear)
        #expect(!clear.isEmpty)
    }

    /// A second may have passed between the two.
    private func undated(_ answer: String) throws -> String {
        let date = try #require(answer.firstRange(of: /Date: [^\r]+ GMT\r\n/))
        var answer = answer
        answer.removeSubrange(date)
        return answer
    }

    /// The table of the clear port: TLS opens no way round it.
    @Test(arguments: HTTPAttackTests.attacks) func attackIsAnsweredAndClosed(_ attack: HTTPAttackTests.Attack) throws {
        let secure = connect()
        // The head decides, and what the server closes early breaks the pipe under a long body, sometimes with the
        // answer in it.
        for piece in attack.pieces { try? secure.socket.send(String(piece.prefix(32_768))) }
        let answer = String(decoding: try secure.socket.readToEndOrReset(), as: UTF8.self)
        #expect(answer.hasPrefix(attack.answer) && answer.isEmpty == attack.answer.isEmpty)
        #expect(attack.contains.isEmpty || answer.contains(attack.contains))
        try expectHealth()
    }

    private func expectHealth() throws {
        let health = connect()
        try health.socket.send("GET /up HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try health.socket.read(until: "up\n").hasPrefix("HTTP/1.1 200"))
    }

    @Test func keyHolderSendsSeveralBodiesOnOneConnection() throws {
        let secure = connect()
        for size in [5, 0, 70_000, 16_384] {
            let body = String(repeating: "x", count: size)
            try secure.socket.send(
                TLSTests.post("/broadcasts", body: body, headers: "Authorization: Bearer test-key\r\n")
            )
            #expect(try secure.socket.read(until: "bytes\n").contains("\(size) bytes"))
        }
    }

    @Test func olderThanTLS12IsRefused() throws {
        let old = connect("-tls1_1", "-cipher", "DEFAULT@SECLEVEL=0")
        #expect(try old.socket.readToEnd().isEmpty)
        let enough = connect("-tls1_2")
        try enough.socket.send("GET /up HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try enough.socket.read(until: "up\n").hasPrefix("HTTP/1.1 200"))
    }

    @Test func renewedCertificateIsShownToNewConnectionsOnly() throws {
        let standing = connect()
        try standing.socket.send("GET /up HTTP/1.1\r\nHost: x\r\n\r\n")
        _ = try standing.socket.read(until: "up\n")
        let renewed = try TemporaryCertificate("renewed")
        server.gateway.renew(
            try ServerIdentity(certificateFile: renewed.certificateFile, keyFile: renewed.keyFile)
        )
        // The port is a queue: once this is answered, the renewal before it has been taken.
        try standing.socket.send(TLSTests.post("/orders", body: "hello"))
        _ = try standing.socket.read(until: "5 bytes\n")
        let curl = RunningProcess(
            "curl",
            arguments: ["-s", "--cacert", renewed.certificateFile, "https://localhost:\(server.gateway.port)/up"]
        )
        #expect(try curl.waitForExit() == 0)
        #expect(curl.output == "up\n")
    }
}
