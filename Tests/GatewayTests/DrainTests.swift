import Gateway
import TestSupport
import Testing

/// While the server drains, whoever is connected already is answered for the last time, and nobody stays.
@Suite(.blocking) struct DrainTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var request: String
        var status = 200
        /// How the answer's body begins.
        var body: String
        var testDescription: String { name }
    }

    private static let page = "GET /streams?name=x HTTP/1.1\r\nHost: x\r\n"
    private static let plain = "GET /up HTTP/1.1\r\nHost: x\r\n\r\n"

    static let cases = [
        Case(name: "request", request: plain, body: "up\n"),
        Case(
            name: "request for another thread",
            request: "POST /orders HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n1",
            body: "1 bytes\n"
        ),
        Case(name: "two requests at once", request: plain + plain, body: "up\n"),
        // The browser connects again, to the next server.
        Case(name: "event stream", request: page + "Accept: text/event-stream\r\n\r\n", body: "retry: "),
        Case(
            name: "WebSocket",
            request: page + "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
            status: 503,
            body: "{"
        ),
    ]

    @Test(arguments: cases) func keptConnectionGetsOneMoreAnswer(_ example: Case) throws {
        let server = try ScriptedGateway()
        let socket = try server.connect()
        try socket.send(DrainTests.plain)
        #expect(try !socket.read(until: "up\n").contains("Connection: close"))
        server.gateway.drain()
        try socket.send(example.request)
        let answer = String(decoding: try socket.readToEnd(), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 \(example.status) "))
        #expect(answer.contains("\r\nConnection: close\r\n"))
        #expect(answer.contains("\r\n\r\n\(example.body)"))
        #expect(answer.split(separator: "HTTP/1.1 ").count == 1)
        try server.waitFor("paycast_connections 0")
    }
}
