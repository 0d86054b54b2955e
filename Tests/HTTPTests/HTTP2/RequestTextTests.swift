import Testing

@testable import HTTP

@Suite struct RequestTextTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var fields: [(String, String)]
        /// Nil for what gets a reset.
        var text: String?
        var testDescription: String { name }
    }

    private static func get(_ path: String = "/up", fields: [(String, String)] = []) -> [(String, String)] {
        [(":method", "GET"), (":scheme", "https"), (":path", path), (":authority", "pay.example")] + fields
    }

    static let cases = [
        Case(
            name: "GET",
            fields: get("/streams?name=a", fields: [("accept", "text/event-stream")]),
            text: "GET /streams?name=a HTTP/1.1\r\nhost: pay.example\r\naccept: text/event-stream\r\n"
        ),
        Case(
            name: "what proxies wrote stays as it is: the peer decides what counts",
            fields: get("/up", fields: [("x-forwarded-for", "10.0.0.1"), ("via", "2 x")]),
            text: "GET /up HTTP/1.1\r\nhost: pay.example\r\nx-forwarded-for: 10.0.0.1\r\nvia: 2 x\r\n"
        ),
        Case(
            name: "one host, said twice",
            fields: get("/up", fields: [("host", "pay.example")]),
            text: "GET /up HTTP/1.1\r\nhost: pay.example\r\n"
        ),
        Case(name: "two hosts", fields: get("/up", fields: [("host", "evil.example")])),
        Case(
            name: "host in the authority's place",
            fields: [(":method", "GET"), (":path", "/up"), ("host", "x")],
            text: "GET /up HTTP/1.1\r\nhost: x\r\n"
        ),
        Case(
            name: "what is about the connection is dropped",
            fields: get(
                "/up",
                fields: [("connection", "upgrade"), ("upgrade", "websocket"), ("te", "trailers")]
            ),
            text: "GET /up HTTP/1.1\r\nhost: pay.example\r\n"
        ),
        Case(
            name: "cookies, each in a field of its own",
            fields: get("/up", fields: [("cookie", "a=1"), ("accept", "*/*"), ("cookie", "b=2")]),
            text: "GET /up HTTP/1.1\r\nhost: pay.example\r\naccept: */*\r\ncookie: a=1; b=2\r\n"
        ),
        Case(
            name: "chunks cannot be smuggled",
            fields: get("/up", fields: [("transfer-encoding", "chunked"), ("content-length", "5")]),
            text: "GET /up HTTP/1.1\r\nhost: pay.example\r\ncontent-length: 5\r\n"
        ),
        Case(name: "CONNECT", fields: [(":method", "CONNECT"), (":authority", "x:1")]),
        Case(name: "WebSocket over HTTP/2", fields: get() + [(":protocol", "websocket")]),
        Case(name: "unknown pseudo-header", fields: get() + [(":status", "200")]),
        Case(name: "line break in a value", fields: get("/up", fields: [("a", "b\r\nc: d")])),
        Case(name: "zero in a value", fields: get("/up", fields: [("a", "b\0")])),
        Case(name: "line break in the path", fields: get("/up HTTP/1.1\r\nHost: x\r\n\r\n")),
        Case(name: "space in the path", fields: get("/up HTTP/1.1")),
        Case(name: "path without its slash", fields: get("http://x/up")),
        Case(name: "asterisk", fields: get("*")),
        Case(
            name: "space in the method",
            fields: [(":method", "GET /"), (":path", "/"), ("host", "x")]
        ),
        Case(name: "no method", fields: [(":path", "/"), ("host", "x")]),
        Case(name: "no host", fields: [(":method", "GET"), (":path", "/")]),
        Case(
            name: "long value",
            fields: get("/up", fields: [("a", String(repeating: "x", count: 16_384))])
        ),
        Case(
            name: "many fields",
            fields: get("/up", fields: (0..<2000).map { ("a\($0)", "b") })
        ),
    ]

    @Test(arguments: cases) func writes(_ one: Case) {
        var text = RequestText()
        for (name, value) in one.fields { text.add(name.utf8, value: value.utf8) }
        let bytes = text.finish()
        #expect(bytes.map { String(decoding: $0, as: UTF8.self) } == one.text.map { $0 + "connection: close\r\n\r\n" })
        #expect((bytes?.count ?? 0) <= RequestText.limit)
    }
}
