import Domain
import Encoding
import HTTPClient
import Simulator
import TestSupport
import Testing

/// A feed that is longer than any answer: one connection tells all of it, once, in order, and goes on live.
@Suite(.blocking) struct LongFeedTests {
    private static let count = 3000

    /// Reconnecting is an event on stderr.
    @Test func tailNeedsOneConnection() throws {
        let server = try PaycastServer()
        try publish(Self.count, on: server)
        let tail = server.paycast("tail", "--json", "--since", "start", "--limit", "\(Self.count + 1)")
        _ = try tail.line(timeout: .seconds(60)) { $0.contains("-\(Self.count)\"") }
        try publish(1, on: server)
        #expect(try tail.waitForExit() == 0)
        #expect(tail.errors.isEmpty, "\(tail.errors)")
        let positions = tail.output.split(separator: "\n").compactMap { position($0) }
        #expect(positions == Array(1...(Int64(Self.count) + 1)))
    }

    /// What happens while it reads nothing costs it nothing but time: it is read from the ledger when it goes on.
    @Test func slowReaderMissesNothing() throws {
        let server = try PaycastServer()
        try publish(Self.count, on: server)
        let key = try DevelopmentWorkspace.existing(in: server.folder.path).apiKey
        let socket = try server.connect()
        socket.limitReceiveBuffer(to: 4096)
        try socket.send("GET /feed?since=start HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(key)\r\n\r\n")
        _ = try socket.read(until: "\r\n\r\n")
        try publish(Self.count, on: server)
        var (positions, text): ([Int64], String) = ([], "")
        while positions.count < 2 * Self.count {
            let bytes = try socket.readSome()
            try #require(!bytes.isEmpty, "it was ended after \(positions.count)")
            text += String(decoding: bytes, as: UTF8.self)
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            text = String(lines.removeLast())
            positions += lines.filter { $0.hasPrefix("data: ") }.compactMap { position($0.dropFirst(6)) }
        }
        #expect(positions == Array(1...(2 * Int64(Self.count))))
    }

    private func position(_ json: Substring) -> Int64? {
        JSONNode(String(json))?["cursor"]?.text.flatMap { Cursor($0) }?.position
    }

    /// Entries that pages hear nothing of: nobody follows.
    private func publish(_ count: Int, on server: PaycastServer) throws {
        let key = try DevelopmentWorkspace.existing(in: server.folder.path).apiKey
        let client = HTTPClient(timeout: .seconds(20))
        let one = #"{"user":"42","html":"<turbo-stream action=\"remove\" target=\"a\"></turbo-stream>"}"#
        var rest = count
        while rest > 0 {
            let body = "[" + Array(repeating: one, count: min(rest, 100)).joined(separator: ",") + "]"
            let headers = [("Authorization", "Bearer \(key)"), ("Content-Type", "application/json")]
            let answer = try client.send(
                "POST",
                to: server.url + "/broadcasts",
                headers: headers,
                body: Array(body.utf8)
            )
            #expect(answer.status == 202)
            rest -= 100
        }
    }
}
