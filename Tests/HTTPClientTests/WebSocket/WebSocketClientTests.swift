import HTTP
import TestSupport
import Testing

@testable import HTTPClient

/// What a client must do, and what it must bear (RFC 6455), against a raw socket.
@Suite(.blocking, .serialized) struct WebSocketClientTests {
    struct Violation: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// After the head of the answer.
        var frames: [UInt8]
        var kind: WebSocketError.Kind
    }

    private static let huge: [UInt8] = [0x81, 0x7F, 0, 0, 0, 0, 0x40, 0, 0, 0]

    @Test(arguments: [
        Violation(
            testDescription: "reserved bits",
            frames: [0xC1, 1, 0x61],
            kind: .violation("a frame has reserved bits")
        ),
        Violation(
            testDescription: "an unknown kind",
            frames: [0x83, 1, 0x61],
            kind: .violation("a frame is of an unknown kind")
        ),
        Violation(
            testDescription: "a part of nothing",
            frames: [0x80, 1, 0x61],
            kind: .violation("a frame continues no message")
        ),
        Violation(
            testDescription: "a message inside another",
            frames: [0x01, 1, 0x61, 0x81, 1, 0x61],
            kind: .violation("a message begins inside another one")
        ),
        Violation(
            testDescription: "a ping in parts",
            frames: [0x09, 1, 0x61],
            kind: .violation("a control frame comes in parts")
        ),
        Violation(
            testDescription: "a long ping",
            frames: [0x89, 0x7E, 1, 0],
            kind: .violation("a control frame is longer than 125 bytes")
        ),
        Violation(
            testDescription: "a length of 64 bits",
            frames: [0x81, 0x7F, 0xFF],
            kind: .violation("a frame has an impossible length")
        ),
        Violation(
            testDescription: "no UTF-8",
            frames: [0x81, 2, 0xC3, 0x28],
            kind: .violation("a text is not UTF-8")
        ),
        Violation(
            testDescription: "a frame of 1 GB",
            frames: huge + [UInt8](repeating: 0x61, count: 5 << 20),
            kind: .tooLarge
        ),
        Violation(
            testDescription: "a goodbye",
            frames: [0x88, 5, 0x03, 0xE8, 0x62, 0x79, 0x65],
            kind: .closed(1000, "bye")
        ),
        Violation(testDescription: "an end without a word", frames: [], kind: .brokenOff),
    ]) func brokenRulesEndIt(_ violation: Violation) throws {
        let server = SocketServer { socket in
            try accept(socket)
            try socket.send(violation.frames)
            // Its own end must not come before what it has sent is read.
            if !violation.frames.isEmpty { _ = try socket.readToEnd() }
        }
        // libwebsockets writes all threads' log lines into one buffer: other suites' connections may overwrite the reason.
        let kinds = (0..<10).lazy.map { _ in failure(at: server.url) }
        #expect(kinds.first { $0 != .brokenOff } ?? .brokenOff == violation.kind)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var answer: String
        var kind: WebSocketError.Kind
    }

    private static let upgraded = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    private static let head = WebSocketError.Kind.handshake("its head is malformed, or larger than 16 KiB")

    @Test(arguments: [
        Refusal(
            testDescription: "no accept",
            answer: upgraded + "\r\n",
            kind: .handshake("Sec-WebSocket-Accept is missing")
        ),
        Refusal(
            testDescription: "a wrong accept",
            answer: upgraded + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
            kind: .handshake("Sec-WebSocket-Accept does not fit to the key")
        ),
        Refusal(
            testDescription: "a redirect",
            answer: "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
            kind: .status(302)
        ),
        Refusal(testDescription: "a page", answer: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", kind: .status(200)),
        Refusal(
            testDescription: "a head that does not end",
            answer: upgraded + String(repeating: "X-Filler: \(String(repeating: "a", count: 1000))\r\n", count: 64),
            kind: head
        ),
        Refusal(testDescription: "nothing", answer: "", kind: .brokenOff),
    ]) func whatIsNoUpgradeIsNamed(_ refusal: Refusal) throws {
        let server = SocketServer { socket in
            _ = try socket.read(until: "\r\n\r\n")
            try socket.send(refusal.answer)
        }
        #expect(failure(at: server.url) == refusal.kind)
    }

    /// In parts, with a ping between them.
    @Test func speaksAsABrowserDoes() throws {
        let server = SocketServer { socket in
            try accept(socket)
            try socket.send([0x01, 2, 0x48, 0x65, 0x89, 1, 0x70, 0x80, 3, 0x6C, 0x6C, 0x6F])
            let answers = try socket.read(count: 2 + 4 + 1 + 2 + 4 + 2)
            // A pong and a text, both masked.
            #expect(answers[0] == 0x8A && answers[1] == 0x81)
            #expect(answers[7] == 0x81 && answers[8] == 0x82)
            #expect(zip(answers[13...], answers[9...]).map { $0 ^ $1 } == Array("hi".utf8))
            try socket.send([0x81, 3, 0x65, 0x6E, 0x64])
            #expect(try socket.read(count: 2)[0] == 0x88, "it says goodbye")
        }
        var texts: [String] = []
        try client(server.url).follow { event, send in
            guard case .text(let text) = event else { return true }
            texts.append(text)
            if texts.count == 1 { send("hi") }
            return texts.count < 2
        }
        #expect(texts == ["Hello", "end"])
    }

    /// A server that takes none of the pongs may lose the connection before.
    @Test func pingsWithoutEndEndWithTheHandler() throws {
        let server = SocketServer { socket in
            try accept(socket)
            let flood = [[UInt8]](repeating: [0x89, 5] + Array("hello".utf8), count: 1000).flatMap { $0 }
            while true { try socket.send(flood) }
        }
        let start = ContinuousClock.now
        try? client(server.url).follow { event, _ in
            guard case .tick = event else { return true }
            return start.duration(to: .now) < .seconds(2)
        }
        #expect(start.duration(to: .now) < .seconds(20))
    }

    /// The handler is asked while nothing is open, too.
    @Test func silenceEndsWithTheHandler() throws {
        let server = SocketServer { socket in _ = try socket.readToEnd() }
        var ticks = 0
        try client(server.url).follow { _, _ in
            ticks += 1
            return ticks < 3
        }
        #expect(ticks == 3)
    }

    @Test func nobodyThereIsSaid() throws {
        #expect(failure(at: ReservedPort.unused.url) == .refused)
    }

    @Test func aForeignCertificateIsRefused() throws {
        let certificate = try TemporaryCertificate()
        let server = try PaycastServer(
            certificate.settings,
            environment: ["PAYCAST_API_KEY": "key-key-key-key-key", "PAYCAST_STREAM_KEYS": "stream-stream-stream"]
        )
        #expect(failure(at: server.url + "/cable") == .certificate(.unknownAuthority))
        let other = try TemporaryCertificate("other")
        let trusting = try WebSocketClient(
            RequestURL(server.url + "/cable"),
            authorityFile: certificate.certificateFile
        )
        var isOpen = false
        try trusting.follow { event, _ in
            if case .opened = event { isOpen = true }
            return !isOpen
        }
        #expect(isOpen)
        let wary = try WebSocketClient(RequestURL(server.url + "/cable"), authorityFile: other.certificateFile)
        let error = #expect(throws: WebSocketError.self) { try wary.follow { _, _ in true } }
        guard case .certificate = error?.kind else { return _ = Issue.record("\(String(describing: error))") }
    }

    /// Through a tunnel of HTTP, as the environment says.
    @Test func goesThroughAProxy() throws {
        let asked = Recorder("HTTP/1.1 403 Forbidden\r\n\r\n")
        let environment = ["http_proxy": "http://me:s%40crit@\(asked.url.dropFirst("http://".count))"]
        let client = try WebSocketClient(RequestURL("http://shop.test/cable"), environment: environment)
        let error = #expect(throws: WebSocketError.self) { try client.follow { _, _ in true } }
        #expect(error?.kind == .proxy("it refuses, or does not speak HTTP/1.1"))
        let head = try #require(asked.requests.first)
        #expect(head.hasPrefix("CONNECT shop.test:80 HTTP/1.1\r\n"), "\(head)")
        #expect(head.lowercased().contains("proxy-authorization: basic bwu6c0bjcml0"), "\(head)")
    }

    private func client(_ url: String) throws -> WebSocketClient { try WebSocketClient(RequestURL(url)) }

    private func failure(at url: String) -> WebSocketError.Kind? {
        do {
            try client(url).follow { _, _ in true }
            return nil
        } catch {
            return (error as? WebSocketError)?.kind
        }
    }
}

/// Reads the head of an upgrade and accepts it.
private func accept(_ socket: RawSocket) throws {
    let head = try socket.read(until: "\r\n\r\n")
    let line = head.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }
    let key = String(line?.dropFirst("Sec-WebSocket-Key: ".count) ?? "")
    let answer = Handshake.accept(key: Array(key.utf8)[...]) ?? ""
    try socket.send(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(answer)\r\n\r\n"
    )
}
