import Crypto
import Domain
import Encoding
import Simulator
import TestSupport
import Testing

/// A page out of a cache brings the same name after every reload, though it has ended.
@Suite(.blocking) struct EndedNameTests {
    private let server: PaycastServer
    private let name: String

    init() throws {
        server = try PaycastServer()
        let workspace = try DevelopmentWorkspace.existing(in: server.folder.path)
        let signer = try #require(StreamNameVerifier(keys: [.init(text: workspace.streamKey)]))
        name = signer.sign(try #require(StreamName("room:1")), expires: Instant(milliseconds: 0))
    }

    @Test func anEventStreamIsToldThreeTimesAndThenWaits() throws {
        for _ in 0..<3 { #expect(try eventStream().contains(#"action="refresh""#)) }
        for _ in 0..<2 {
            let answer = try eventStream()
            #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.contains("text/event-stream"), "\(answer)")
            #expect(answer.contains("retry: 60000\n\n") && !answer.contains("data:"), "\(answer)")
        }
    }

    @Test func aWebSocketIsToldThreeTimesAndThenRefused() throws {
        for _ in 0..<3 { #expect(try webSocket().text().contains(#"action="refresh""#)) }
        #expect(try webSocket().status == 403)
    }

    @Test func aSubscriptionIsToldThreeTimesAndThenRejected() throws {
        let client = try CableClient(port: server.port)
        for _ in 0..<3 {
            try client.send("subscribe", identifier: CableClient.identifier(name))
            #expect(try client.html().contains(#"action="refresh""#))
            #expect(try client.next()["type"]?.text == "reject_subscription")
        }
        try client.send("subscribe", identifier: CableClient.identifier(name))
        #expect(try client.next()["type"]?.text == "reject_subscription")
    }

    private func eventStream() throws -> String {
        let socket = try server.connect()
        try socket.send("GET /streams?name=\(name) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return String(decoding: try socket.readToEnd(), as: UTF8.self)
    }

    private func webSocket() throws -> RawWebSocket {
        try RawWebSocket(port: server.port, path: "/streams?name=\(name)")
    }
}
