import HTTP
import Testing

/// What is accepted, and what it means.
@Suite struct RequestHeadTests {
    @Test(arguments: cases) func accepts(_ one: Case) throws {
        let head = try RequestHead(one.text)
        #expect(head.method == one.method)
        #expect(head.path == one.path)
        #expect(head.host == one.host)
        #expect(head.isHTTP10 == one.isHTTP10)
        #expect(head.contentLength == nil)
        #expect(!head.hasTransferEncoding && !head.asksForWebSocket && !head.isForwarded)
    }

    @Test func theLongestHeadIsAsLongAsTheLimit() {
        let longest = RequestHeadTests.cases.filter { $0.name == "the longest head" }
        #expect(longest.map(\.text.utf8.count) == [RequestHead.sizeLimit])
    }

    struct Length: Sendable {
        var text: String
        var length: Int?
    }

    @Test(arguments: [
        Length(text: "0", length: 0),
        Length(text: "40", length: 40),
        Length(text: "  7  ", length: 7),
        Length(text: "007", length: 7),
        Length(text: "999999999999999999", length: 999_999_999_999_999_999),
    ])
    func readsLengths(_ one: Length) throws {
        #expect(try RequestHead.get("Content-Length:\(one.text)").contentLength == one.length)
    }

    @Test func joinsTheLinesOfLists() throws {
        let head = try RequestHead.get(
            "X-Forwarded-For: 203.0.113.7",
            "Via: 1.1 a",
            "x-forwarded-for:10.0.0.5,10.0.0.6"
        )
        #expect(head[.forwardedFor] == "203.0.113.7, 10.0.0.5,10.0.0.6")
        #expect(head[.via] == "1.1 a")
        #expect(head[.forwardedProto] == nil)
        #expect(head.isForwarded)
    }

    @Test(arguments: ["X-Forwarded-For", "X-Real-IP", "Via", "Forwarded", "X-Forwarded-Proto", "X-Forwarded-Host"])
    func isForwardedWhateverTheProxySays(_ name: String) throws {
        #expect(try RequestHead.get("\(name):").isForwarded)
    }

    @Test func keepsBytesAsTheyWere() throws {
        var text = Array("GET / HTTP/1.1\r\nHost: a\r\nStripe-Signature: t".utf8)
        text += [0xFF, 0x80, 0x09, 0x41]
        let head = try RequestHead(parsing: (text + Array("\r\n\r\n".utf8))[...])
        #expect(head.bytes(.stripeSignature) == [0x74, 0xFF, 0x80, 0x09, 0x41])
        #expect(head[.stripeSignature] == "t\u{FFFD}\u{FFFD}\tA")
    }

    /// Which one was there, when any of those that are read is sent in any case.
    @Test(arguments: FieldName.allCases) func knowsEachNameInAnyCase(_ name: FieldName) throws {
        let value = name == .contentLength ? "5" : "b"
        for spelling in [name.rawValue, name.rawValue.uppercased(), RequestHeadTests.capitalized(name.rawValue)] {
            let head = try RequestHead("GET / HTTP/1.0\r\n\(spelling): \(value)\r\n\r\n")
            #expect(FieldName.allCases.filter { head.has($0) } == [name])
            #expect(head[name] == value)
        }
    }

    private static func capitalized(_ name: String) -> String {
        name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "-")
    }

    struct Connection: Sendable, CustomTestStringConvertible {
        var fields: [String]
        var version = "1.1"
        var isLast: Bool
        var testDescription: String { "\(version) \(fields)" }
    }

    @Test(arguments: [
        Connection(fields: [], isLast: false),
        Connection(fields: ["close"], isLast: true),
        Connection(fields: ["CLOSE"], isLast: true),
        Connection(fields: ["keep-alive, close"], isLast: true),
        Connection(fields: ["close ,\tkeep-alive"], isLast: true),
        Connection(fields: [",, Upgrade,\tClose\t,"], isLast: true),
        Connection(fields: ["upgrade", "keep-alive", "cLose"], isLast: true),
        Connection(fields: ["closed, disclose, clos e, \"close\", close;q=1"], isLast: false),
        Connection(fields: ["keep-alive"], isLast: false),
        Connection(fields: [], version: "1.0", isLast: true),
        Connection(fields: ["Upgrade"], version: "1.0", isLast: true),
        Connection(fields: ["x, Keep-Alive"], version: "1.0", isLast: false),
        Connection(fields: ["keep-alive", "close"], version: "1.0", isLast: true),
    ])
    func knowsTheLastRequest(_ one: Connection) throws {
        let line = "GET / HTTP/\(one.version)"
        #expect(
            try RequestHead(RequestHead.text(line, fields: one.fields.map { "Connection: \($0)" })).isLast == one.isLast
        )
    }

    struct Upgrade: Sendable, CustomTestStringConvertible {
        var name: String
        var line = "GET / HTTP/1.1"
        var connection = "Upgrade"
        var upgrade = "websocket"
        var more = "X: a"
        var isWanted: Bool
        var testDescription: String { name }
    }

    @Test(arguments: [
        Upgrade(name: "plain", isWanted: true),
        Upgrade(name: "any case", connection: "UPGRADE", upgrade: "WebSocket", isWanted: true),
        Upgrade(name: "among others", connection: "keep-alive, Upgrade", upgrade: "h2c,\twebsocket ,", isWanted: true),
        Upgrade(name: "not about this connection", connection: "keep-alive", isWanted: false),
        Upgrade(name: "another protocol", upgrade: "TLS/1.0", isWanted: false),
        Upgrade(name: "HTTP/2 in clear text", connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", isWanted: false),
        Upgrade(name: "a version of the protocol", upgrade: "websocket/13", isWanted: false),
        Upgrade(name: "part of a name", upgrade: "websockets, xwebsocket", isWanted: false),
        Upgrade(name: "HTTP/1.0 has no upgrades", line: "GET / HTTP/1.0", isWanted: false),
        Upgrade(name: "another method", line: "POST / HTTP/1.1", isWanted: false),
        Upgrade(name: "an empty body", more: "Content-Length: 0", isWanted: true),
        Upgrade(name: "a body", more: "Content-Length: 5", isWanted: false),
        Upgrade(name: "a body in pieces", more: "Transfer-Encoding: chunked", isWanted: false),
    ])
    func knowsWebSockets(_ one: Upgrade) throws {
        let fields = ["Connection: \(one.connection)", "Upgrade: \(one.upgrade)", one.more]
        let head = try RequestHead(RequestHead.text(one.line, fields: fields))
        #expect(head.asksForWebSocket == one.isWanted)
    }

    struct Expected: Sendable {
        var text: String
        var version = "1.1"
        var expectation: RequestHead.Expectation
    }

    @Test(arguments: [
        Expected(text: "100-continue", expectation: .toContinue),
        Expected(text: " 100-Continue\t", expectation: .toContinue),
        Expected(text: "100-continue, x", expectation: .unknown),
        Expected(text: "", expectation: .unknown),
        Expected(text: "tea", expectation: .unknown),
        Expected(text: "100-continue", version: "1.0", expectation: .nothing),
    ])
    func knowsExpectations(_ one: Expected) throws {
        let head = try RequestHead(RequestHead.text("PUT / HTTP/\(one.version)", fields: ["Expect:\(one.text)"]))
        #expect(head.expectation == one.expectation)
        #expect(try RequestHead.get().expectation == .nothing)
    }

    @Test(arguments: ["chunked", "identity", "", "gzip, chunked", "xchunked"])
    func seesEveryTransferEncoding(_ coding: String) throws {
        #expect(try RequestHead.get("Transfer-Encoding: \(coding)").hasTransferEncoding)
    }

    /// Some reader has taken a header whose name begins another's for that other one, and the line behind it as a part
    /// of its name. Here each line is one header.
    @Test(arguments: [
        FieldName.authorization, .origin, .forwardedFor, .contentLength, .transferEncoding, .upgrade, .host,
    ])
    func noNameSwallowsTheNextLine(_ swallowed: FieldName) throws {
        let known = FieldName.allCases.map(\.rawValue) + RequestHeadTests.others
        let names = Set(known.flatMap { name in (1..<name.utf8.count).map { String(name.prefix($0)) } }).subtracting(
            known
        )
        #expect(names.count > 200)
        let value = swallowed == .contentLength ? "40" : "b"
        for name in names.flatMap({ [$0, $0.uppercased(), $0 + "-", $0 + "_", $0 + "x"] }) where !known.contains(name) {
            for first in ["\(name): a", "\(name):"] where FieldName(rawValue: name.lowercased()) == nil {
                let head = try RequestHead("GET / HTTP/1.0\r\n\(first)\r\n\(swallowed.rawValue): \(value)\r\n\r\n")
                #expect(FieldName.allCases.filter { head.has($0) } == [swallowed], "\(first)")
                #expect(head[swallowed] == value, "\(first)")
            }
        }
    }

    /// Headers of others, whose prefixes are the names that people give their own.
    private static let others = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "accept-ranges",
        "access-control-allow-origin",
        "age", "allow", "cache-control", "content-disposition", "content-encoding", "content-language", "content-type",
        "cookie", "date", "dnt", "early-data", "etag", "expires", "from", "http2-settings", "if-match",
        "if-modified-since", "if-unmodified-since", "keep-alive", "last-modified", "link", "location", "max-forwards",
        "pragma", "priority", "proxy-authenticate", "proxy-authorization", "referer", "retry-after",
        "sec-websocket-accept", "sec-websocket-extensions", "server", "set-cookie", "strict-transport-security", "te",
        "trailer", "user-agent", "vary", "warning", "www-authenticate", "x-auth-token", "x-request-id",
    ]
}
