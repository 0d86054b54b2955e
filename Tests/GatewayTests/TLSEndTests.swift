import Gateway
import TestSupport
import Testing

/// Over TLS the end is said (RFC 8446 §6.1): a client can tell a whole answer from one that was cut off.
@Suite(.blocking) struct TLSEndTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var request: [UInt8]
        /// What is read before the server drains; nil: it ends the connection by itself.
        var opening: String?
        var speaks = "http/1.1"
        var testDescription: String { name }

        init(_ name: String, request: String, opening: String? = nil) {
            self.name = name
            self.request = Array(request.utf8)
            self.opening = opening
        }

        init(_ name: String, request: String, frame: [UInt8]) {
            self.name = name
            self.request = Array(request.utf8) + frame
        }

        init(_ name: String, frames: HTTP2Frame...) {
            self.name = name
            speaks = "h2"
            request = HTTP2Frame.preface + HTTP2Frame.settings().bytes + frames.flatMap(\.bytes)
        }
    }

    private static let upgrade =
        "GET /streams?name=x HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"

    static let cases = [
        Case("last answer", request: "GET /up HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
        Case("long last answer", request: "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"),
        Case("refusal", request: "hello\r\n\r\n"),
        Case(
            "page that is sent away",
            request: "GET /streams?name=x HTTP/1.1\r\nHost: x\r\n\r\n",
            opening: "id: test-7\n\n"
        ),
        Case("WebSocket that its client closes", request: upgrade, frame: RawWebSocket.bytes(.close)),
        Case("WebSocket that breaks the rules", request: upgrade, frame: [0xFF, 0xFF]),
        Case("HTTP/2 that breaks the rules", frames: HTTP2Frame(.data, stream: 1, payload: [1])),
    ]

    @Test(arguments: cases) func isAnnounced(_ example: Case) throws {
        let server = try ScriptedGateway(certificate: TemporaryCertificate())
        let client = try TLSClient(port: server.gateway.port, speaking: example.speaks)
        try client.send(records: [example.request])
        if let opening = example.opening {
            _ = try client.read(until: opening)
            server.gateway.drain()
        }
        let rest = try client.readToEnd()
        // Not within the expectation, which would print 32 MB.
        let isAnnounced = rest.isAnnounced
        #expect(isAnnounced)
        #expect(rest.bytes.count > 0)
    }
}
