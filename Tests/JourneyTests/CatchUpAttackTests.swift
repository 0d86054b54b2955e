import HTTPClient
import Simulator
import TestSupport
import Testing

/// A client that missed much, asks for it again and again, and reads nothing: it costs a bounded number of bytes, and
/// nobody else waits.
@Suite(.blocking) struct CatchUpAttackTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        var name: String
        /// Opens what is to be held.
        var open: @Sendable (_ server: PaycastServer, _ name: String, _ since: String) throws -> [RawSocket]
        var testDescription: String { name }
    }

    static let attacks = [
        Attack(name: "a cable client that subscribes 100 times") { server, name, since in
            let client = try CableClient(port: server.port)
            client.webSocket.socket.limitReceiveBuffer(to: 4096)
            for number in 0..<100 {
                let identifier = CableClient.identifier(name, since: since)
                try client.send("subscribe", identifier: #"{"k":\#(number),"# + identifier.dropFirst())
            }
            return [client.webSocket.socket]
        },
        Attack(name: "100 event streams") { server, name, since in
            try (0..<100).map { _ in
                let socket = try server.connect()
                socket.limitReceiveBuffer(to: 4096)
                let path = "/streams?name=\(name.replacing("=", with: "%3D"))&since=\(since)"
                try socket.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return socket
            }
        },
    ]

    /// 100 appended fragments of 190 KB; none replaces another.
    @Test(arguments: attacks) func takesNoMoreThanItsBound(_ attack: Attack) throws {
        let server = try PaycastServer()
        let sign = server.paycast("sign", "room:1")
        #expect(try sign.waitForExit() == 0)
        let name = String(sign.output.split(separator: "\n").first ?? "")
        let first = try publish("first", on: server)
        let text = String(repeating: "x", count: 190_000)
        for _ in 0..<100 { _ = try publish(text, on: server) }
        let before = try #require(server.process.residentBytes)
        let held = try attack.open(server, name, first)
        // Two rounds of the ledger's reader for somebody else: by then all that was asked before is read.
        for _ in 0..<2 {
            let other = try CableClient(port: server.port)
            #expect(try other.subscribe(CableClient.identifier(name)) == "confirm_subscription")
        }
        let after = try #require(server.process.residentBytes)
        #expect(after - before < 100 << 20, "\((after - before) >> 20) MB more")
        withExtendedLifetime(held) {}
    }

    /// What does not fit is what a reload shows.
    @Test func pageThatMissedTooMuchReloads() throws {
        let server = try PaycastServer()
        let sign = server.paycast("sign", "room:1")
        #expect(try sign.waitForExit() == 0)
        let name = String(sign.output.split(separator: "\n").first ?? "")
        let first = try publish("first", on: server)
        for _ in 0..<2 { _ = try publish(String(repeating: "x", count: 190_000), on: server) }
        let client = try CableClient(port: server.port)
        #expect(try client.subscribe(CableClient.identifier(name, since: first)) == "confirm_subscription")
        // What memory holds of it comes first.
        let html = try [client.html(), client.html()]
        #expect(html.map(\.utf8.count) == [190_080, 46])
        #expect(html.last == #"<turbo-stream action="refresh"></turbo-stream>"#)
    }

    /// Returns its cursor.
    private func publish(_ text: String, on server: PaycastServer) throws -> String {
        let key = try DevelopmentWorkspace.existing(in: server.folder.path).apiKey
        let body = #"{"stream":"room:1","action":"append","target":"list","html":"\#(text)"}"#
        let client = try server.connect()
        try client.send(
            """
            POST /broadcasts HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key)\r
            Content-Type: application/json\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)
            """
        )
        let answer = String(decoding: try client.readToEnd(), as: UTF8.self)
        let cursor = answer.split(separator: #""cursors":[""#).last?.split(separator: #"""#).first
        return try String(#require(cursor))
    }
}
