import Gateway
import HTTP
import TestSupport
import Testing

/// Connections that carry one request after the other.
@Suite(.blocking) struct KeepAliveTests {
    private let server: ScriptedGateway

    init() throws {
        server = try ScriptedGateway()
    }

    private func post(_ body: String, headers: String = "") -> String {
        "POST /broadcasts HTTP/1.1\r\nHost: x\r\n\(headers)"
            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// A connection whose first request has been answered.
    private func used() throws -> RawSocket {
        let socket = try server.connect()
        try socket.send(post("a"))
        #expect(try answer(socket).hasSuffix("1 bytes\n"))
        return socket
    }

    /// A whole answer with a length.
    private func answer(_ socket: RawSocket) throws -> String {
        let head = try socket.read(until: "\r\n\r\n")
        let line = head.split(separator: "\r\n").first { $0.hasPrefix("Content-Length: ") }
        let count = line.flatMap { Int($0.dropFirst("Content-Length: ".count)) } ?? 0
        return head + String(decoding: try socket.read(count: count), as: UTF8.self)
    }

    @Test func requestsFollowEachOtherWhetherAwaitedOrNot() throws {
        let socket = try used()
        for length in [0, 1, 300, 70_000] {
            try socket.send(post(String(repeating: "x", count: length)))
            #expect(try answer(socket).hasSuffix("\(length) bytes\n"))
        }
        try socket.send(post("1") + post("22") + "GET /up HTTP/1.1\r\nHost: x\r\n\r\n" + post("333"))
        for body in ["1 bytes\n", "2 bytes\n", "up\n", "3 bytes\n"] { #expect(try answer(socket).hasSuffix(body)) }
    }

    @Test func aRequestMayComeByteByByte() throws {
        let socket = try used()
        for byte in post("hello").utf8 { try socket.send([byte]) }
        #expect(try answer(socket).hasSuffix("5 bytes\n"))
    }

    @Test func aSlowAnswerKeepsTheOrder() throws {
        let socket = try used()
        let slow = "POST /orders HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
        try socket.send(slow + post("333"))
        #expect(try answer(socket).hasSuffix("2 bytes\n"))
        #expect(try answer(socket).hasSuffix("3 bytes\n"))
    }

    @Test func aPageMayBeOpenedOnIt() throws {
        let socket = try used()
        try socket.send("GET /streams?name=room%3A1 HTTP/1.1\r\nHost: x\r\n\r\n")
        #expect(try socket.read(until: "\r\n\r\n").contains("text/event-stream"))
        #expect(try socket.read(until: "\n\n").contains("id: test-7"))
    }

    struct Attack: Sendable, CustomTestStringConvertible {
        let name: String
        let request: String
        var status = 400
        var testDescription: String { name }
    }

    static let attacks = [
        Attack(name: "no HTTP", request: "hello\r\n\r\n"),
        Attack(name: "another version", request: "GET /up HTTP/1.2\r\nHost: x\r\n\r\n"),
        Attack(name: "no host", request: "GET /up HTTP/1.1\r\nX: y\r\n\r\n"),
        Attack(name: "two hosts", request: "GET /up HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"),
        Attack(
            name: "two lengths",
            request: "POST /broadcasts HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\ncontent-length: 2\r\n\r\nab"
        ),
        Attack(
            name: "a length with a sign",
            request: "POST /broadcasts HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\na"
        ),
        Attack(
            name: "chunks",
            request: "POST /broadcasts HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            status: 411
        ),
        Attack(
            name: "chunks and a length",
            request:
                "POST /broadcasts HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
            status: 411
        ),
        Attack(name: "no length", request: "POST /broadcasts HTTP/1.1\r\nHost: x\r\n\r\n", status: 411),
        Attack(
            name: "too long",
            request: "POST /broadcasts HTTP/1.1\r\nHost: x\r\nContent-Length: 262145\r\n\r\n",
            status: 413
        ),
        Attack(name: "a blank before the colon", request: "GET /up HTTP/1.1\r\nHost: x\r\nContent-Length : 1\r\n\r\n"),
        Attack(name: "a folded line", request: "GET /up HTTP/1.1\r\nHost: x\r\nX: a\r\n b\r\n\r\n"),
        Attack(name: "a bare line feed", request: "GET /up HTTP/1.1\r\nHost: x\nContent-Length: 5\r\n\r\n"),
        Attack(name: "a path that leaves", request: "GET /../etc/passwd HTTP/1.1\r\nHost: x\r\n\r\n"),
        Attack(name: "a path that leaves, escaped", request: "GET /%2e%2e/passwd HTTP/1.1\r\nHost: x\r\n\r\n"),
        Attack(name: "a zero byte", request: "GET /up%00 HTTP/1.1\r\nHost: x\r\n\r\n"),
        Attack(
            name: "a head of 17 KB",
            request: "GET /up HTTP/1.1\r\nHost: x\r\nX: " + String(repeating: "y", count: 17_000),
            status: 431
        ),
        Attack(name: "another method", request: "DELETE /broadcasts HTTP/1.1\r\nHost: x\r\n\r\n", status: 405),
        Attack(
            name: "an upgrade without a version",
            request: "GET /streams HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
            status: 426
        ),
    ]

    @Test(arguments: attacks) func isAnsweredAndClosed(_ attack: Attack) throws {
        let socket = try used()
        try socket.send(attack.request)
        let text = String(decoding: try socket.readToEnd(), as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 \(attack.status) "), "\(text)")
        #expect(text.split(separator: "Connection: close").count == 2)
    }

    @Test func closesWhenAskedTo() throws {
        let socket = try used()
        try socket.send(post("bye", headers: "Connection: close\r\n"))
        #expect(String(decoding: try socket.readToEnd(), as: UTF8.self).hasSuffix("3 bytes\n"))
    }

    /// A proxy that keeps its connections mixes senders: what one request may is nobody else's.
    @Test(arguments: ForwardingTests.cases)
    func aUsedConnectionBelievesNoMoreThanANewOne(_ example: ForwardingTests.Case) throws {
        let question = "GET /ready HTTP/1.1\r\nHost: x\r\n" + example.headers.map { $0 + "\r\n" }.joined() + "\r\n"
        let direct = try used()
        try direct.send(question)
        #expect(try answer(direct).hasSuffix("\r\n\r\n\(example.untrusted)\n"))
        let proxied = try ScriptedGateway(proxies: try localProxy())
        let socket = try proxied.connect()
        for request in [post("a", headers: "X-Forwarded-For: 203.0.113.7\r\n"), question] {
            try socket.send(request)
            let text = try answer(socket)
            #expect(request != question || text.hasSuffix("\r\n\r\n\(example.trusted)\n"), "\(text)")
        }
    }

    @Test func aPageOfAnotherSenderMayUpgradeAfterAForwardedRequest() throws {
        let socket = try server.connect()
        try socket.send(post("a", headers: "X-Forwarded-For: 203.0.113.7\r\n"))
        #expect(try answer(socket).hasSuffix("1 bytes\n"))
        try socket.send(
            "GET /streams?name=room%3A1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        #expect(try socket.read(until: "\r\n\r\n").hasPrefix("HTTP/1.1 101 "))
    }

    @Test func anotherProtocolIsIgnored() throws {
        let socket = try used()
        try socket.send(post("four", headers: "Connection: Upgrade\r\nUpgrade: h2c\r\n"))
        #expect(try answer(socket).hasSuffix("4 bytes\n"))
    }

    /// `/metrics` answers with 32 MB here, more than the kernel takes at once.
    private static let large = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"

    @Test func largeAnswersFollowEachOther() throws {
        let socket = try used()
        try socket.send(Self.large + Self.large)
        // Whoever has not read the first asks for a third.
        _ = try socket.read(until: "\r\n\r\n")
        try socket.send(Self.large)
        _ = try socket.read(count: ScriptedGateway.long.utf8.count)
        for _ in 0..<2 { #expect(try answer(socket).utf8.count > ScriptedGateway.long.utf8.count) }
        try socket.send(post("still"))
        #expect(try answer(socket).hasSuffix("5 bytes\n"))
    }

    @Test func aLargeLastAnswerIsWhole() throws {
        let socket = try used()
        try socket.send("GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        #expect(try socket.readToEnd().count > ScriptedGateway.long.utf8.count)
    }

    @Test(arguments: [true, false], ["x", nil])
    func aReaderThatIsBehindAndSpeaksDoesNotSpinTheLoop(isPublisher: Bool, word: String?) throws {
        let socket = isPublisher ? try used() : try server.connect()
        try socket.send(Self.large)
        _ = try socket.read(until: "\r\n\r\n")
        if let word { try socket.send(word) } else { socket.finishSending() }
        let before = cpuTicks(of: server.gateway)
        _ = try? RawSocket(port: server.gateway.port, timeout: .seconds(1)).readSome()
        #expect(cpuTicks(of: server.gateway) - before < 30)
        withExtendedLifetime(socket) {}
    }
}
