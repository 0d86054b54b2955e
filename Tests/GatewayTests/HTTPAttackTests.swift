import Gateway
import TestSupport
import Testing

/// Requests that no well-behaved client sends: each has its answer, at once, and none harms the next request.
@Suite(.serialized, .blocking) struct HTTPAttackTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        var name: String
        var pieces: [String]
        /// How the answer begins; empty: the connection is closed without one.
        var answer: String
        var contains = ""
        var testDescription: String { name }
    }

    private static let host = "Host: localhost\r\n"
    private static func post(_ path: String, headers: String, body: String = "") -> String {
        "POST \(path) HTTP/1.1\r\n\(host)\(headers)\r\n\(body)"
    }

    static let attacks = [
        Attack(
            name: "chunked body",
            pieces: [post("/orders", headers: "Transfer-Encoding: chunked\r\n", body: "5\r\nhello\r\n0\r\n\r\n")],
            answer: "HTTP/1.1 411",
            contains: "length_required"
        ),
        Attack(name: "no length", pieces: [post("/orders", headers: "")], answer: "HTTP/1.1 411"),
        Attack(
            name: "chunked and a length",
            pieces: [post("/orders", headers: "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", body: "hello")],
            answer: "HTTP/1.1 411"
        ),
        Attack(
            name: "negative length",
            pieces: [post("/orders", headers: "Content-Length: -5\r\n", body: "hello")],
            answer: "HTTP/1.1 400",
            contains: "invalid_content_length"
        ),
        Attack(
            name: "length with a sign",
            pieces: [post("/orders", headers: "Content-Length: +5\r\n", body: "hello")],
            answer: "HTTP/1.1 400"
        ),
        Attack(
            name: "over-long length",
            pieces: [post("/orders", headers: "Content-Length: 99999999999999999999999\r\n", body: "hello")],
            answer: "HTTP/1.1 400"
        ),
        Attack(
            name: "two lengths",
            pieces: [post("/orders", headers: "Content-Length: 5\r\nContent-Length: 6\r\n", body: "hello")],
            answer: "HTTP/1.1 400"
        ),
        Attack(
            name: "body over the limit",
            pieces: [
                post("/orders", headers: "Content-Length: 262145\r\n", body: String(repeating: "x", count: 262_145))
            ],
            answer: "HTTP/1.1 413",
            contains: "body_too_large"
        ),
        Attack(
            name: "length over the limit, no body",
            pieces: [post("/orders", headers: "Content-Length: 999999999\r\n")],
            answer: "HTTP/1.1 413"
        ),
        Attack(
            name: "known method in the wrong place",
            pieces: ["DELETE /orders HTTP/1.1\r\n\(host)\r\n"],
            answer: "HTTP/1.1 405",
            contains: "Allow: POST"
        ),
        Attack(
            name: "unknown method",
            pieces: ["BREW /up HTTP/1.1\r\n\(host)\r\n"],
            answer: "HTTP/1.1 405",
            contains: "Allow: GET, HEAD"
        ),
        Attack(
            name: "no HTTP at all",
            pieces: ["hello\r\n\r\n"],
            answer: "HTTP/1.1 400",
            contains: "malformed_request"
        ),
        Attack(name: "TLS hello on a plain port", pieces: ["\u{16}\u{3}\u{1}\u{2}\u{0}\r\n"], answer: "HTTP/1.1 400"),
        Attack(
            name: "HTTP/2 preface",
            pieces: ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
            answer: "HTTP/1.1 400"
        ),
        Attack(
            name: "WebSocket where none is",
            pieces: [
                "GET /up HTTP/1.1\r\n\(host)Connection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
            ],
            answer: "HTTP/1.1 404",
            contains: "no_websocket"
        ),
        Attack(name: "NUL in the path", pieces: ["GET /up%00 HTTP/1.1\r\n\(host)\r\n"], answer: "HTTP/1.1 400"),
        Attack(
            name: "header flood",
            pieces: ["GET /up HTTP/1.1\r\n\(host)X: \(String(repeating: "a", count: 60_000))\r\n\r\n"],
            answer: "HTTP/1.1 431",
            contains: "head_too_large"
        ),
        Attack(
            name: "thousands of headers",
            pieces: ["GET /up HTTP/1.1\r\n\(host)" + (0..<3000).map { "X\($0): 1\r\n" }.joined() + "\r\n"],
            answer: "HTTP/1.1 431"
        ),
        Attack(
            name: "GET with a body, and a request hidden in it",
            pieces: [
                "GET /up HTTP/1.1\r\n\(host)Content-Length: 60\r\n\r\nPOST /orders HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello"
            ],
            answer: "HTTP/1.1 200"
        ),
        Attack(
            name: "a queue that is full",
            pieces: ["GET /users/1/entitlements HTTP/1.1\r\n\(host)\r\n"],
            answer: "HTTP/1.1 503",
            contains: "Retry-After"
        ),
    ]

    @Test(arguments: attacks) func isAnsweredAndClosed(_ attack: Attack) throws {
        let server = try ScriptedGateway()
        let answer = try server.exchange(attack.pieces)
        #expect(answer.hasPrefix(attack.answer) && answer.isEmpty == attack.answer.isEmpty)
        #expect(attack.contains.isEmpty || answer.contains(attack.contains))
        let health = try server.connect()
        try health.send("GET /up HTTP/1.1\r\n\(HTTPAttackTests.host)\r\n")
        #expect(try health.read(until: "up\n").hasPrefix("HTTP/1.1 200"))
    }

    /// Connections that stay open after misuse: bytes that nobody reads must not keep the loop busy.
    @Test(arguments: [
        "GET /streams?name=x HTTP/1.1\r\n\(host)\r\nGET /up HTTP/1.1\r\n\r\n",
        "GET /up HTTP/1.1\r\n\(host)\r\nPOST /orders HTTP/1.1\r\nContent-Le",
        "POST /orders HTTP/1.1\r\n\(host)Content-Length: 500\r\n\r\nonly a part",
        "GET /up HTTP/1.1\r\nHost: loc",
        "\r\n",
    ]) func doesNotSpinTheLoop(_ bytes: String) throws {
        let server = try ScriptedGateway()
        let socket = try server.connect()
        try socket.send(bytes)
        let before = cpuTicks(of: server.gateway)
        // One second of an idle connection costs next to nothing; a spinning loop costs about 100 ticks.
        _ = try? RawSocket(port: server.gateway.port, timeout: .seconds(1)).readSome()
        #expect(cpuTicks(of: server.gateway) - before < 30)
    }
}
