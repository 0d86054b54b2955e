import Gateway
import TestSupport
import Testing

/// Of several pings in one read only the newest is answered (RFC 6455 §5.5.3).
@Suite(.blocking) struct WebSocketPingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        /// Sent at once.
        var frames: [[UInt8]]
        var answer: String
        var testDescription: String { name }
    }

    private static func ping(_ payload: String) -> [UInt8] {
        RawWebSocket.bytes(.ping, payload: Array(payload.utf8))
    }

    static let cases = [
        Case(name: "one", frames: [ping("a")], answer: "a"),
        Case(name: "several", frames: [ping("a"), ping("b"), ping("c")], answer: "c"),
        Case(name: "a newest one without a payload", frames: [ping("a"), ping("")], answer: ""),
        Case(
            name: "messages between them",
            frames: [ping("a"), RawWebSocket.bytes(.text, payload: [120]), ping("b"), RawWebSocket.bytes(.pong)],
            answer: "b"
        ),
        Case(name: "a flood", frames: (0..<1000).map { ping("\($0)") }, answer: "999"),
    ]

    @Test(arguments: cases) func onePongAnswersOneRead(_ example: Case) throws {
        let server = try ScriptedGateway()
        let page = try RawWebSocket(port: server.gateway.port, path: "/streams?name=x")
        try page.socket.send(example.frames.flatMap { $0 })
        #expect(try pong(page) == example.answer)
        // Nothing else came before the answer to the next one.
        try page.send(.ping, payload: Array("last".utf8))
        #expect(try pong(page) == "last")
    }

    /// Past the server's own pings.
    private func pong(_ page: RawWebSocket) throws -> String {
        while true {
            let frame = try page.frame()
            if frame.opcode == .pong { return String(decoding: frame.payload, as: UTF8.self) }
        }
    }
}
