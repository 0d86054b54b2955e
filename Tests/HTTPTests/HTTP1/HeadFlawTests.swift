import HTTP
import Testing

/// What is refused: each of these carried one request inside another somewhere, or made two readers differ.
@Suite struct HeadFlawTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        var name: String
        var bytes: [UInt8]
        var flaw: HeadFlaw
        var testDescription: String { name }

        init(_ name: String, bytes: [UInt8], is flaw: HeadFlaw) {
            self.name = name
            self.bytes = bytes
            self.flaw = flaw
        }

        /// A whole head.
        init(_ name: String, text: String, is flaw: HeadFlaw) {
            self.init(name, bytes: Array(text.utf8), is: flaw)
        }

        /// A first line, with a Host behind it.
        init(_ name: String, line: String, is flaw: HeadFlaw) {
            self.init(name, text: "\(line)\r\nHost: a\r\n\r\n", is: flaw)
        }

        init(_ name: String, target: String, is flaw: HeadFlaw = .target) {
            self.init(name, line: "GET \(target) HTTP/1.1", is: flaw)
        }

        /// Lines behind a Host.
        init(_ name: String, fields: String..., flaw: HeadFlaw) {
            self.init(name, text: RequestHead.text(fields: fields), is: flaw)
        }

        init(_ name: String, host: String) {
            self.init(name, text: "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n", is: .host)
        }

        init(_ name: String, contentLength: String) {
            self.init(name, fields: "Content-Length: \(contentLength)", flaw: .contentLength)
        }
    }

    static let requestLines = [
        Attack("HTTP/0.9", line: "GET /", is: .requestLine),
        Attack("a method alone", line: "GET", is: .requestLine),
        Attack("no method", line: " / HTTP/1.1", is: .requestLine),
        Attack("no target", line: "GET  HTTP/1.1", is: .target),
        Attack("two spaces", line: "GET  / HTTP/1.1", is: .requestLine),
        Attack("two spaces before the version", line: "GET /  HTTP/1.1", is: .requestLine),
        Attack("a space in the target", line: "GET /a b HTTP/1.1", is: .requestLine),
        Attack("a space at the end", line: "GET / HTTP/1.1 ", is: .requestLine),
        Attack("a tab for a space", line: "GET\t/ HTTP/1.1", is: .requestLine),
        Attack("a tab before the version", line: "GET /\tHTTP/1.1", is: .requestLine),
        Attack("a space before the method", line: " GET / HTTP/1.1", is: .requestLine),
        Attack("a method with a colon", line: "GET: / HTTP/1.1", is: .requestLine),
        Attack("a method with a parenthesis", line: "G(ET / HTTP/1.1", is: .requestLine),
        Attack("a method with a NUL", line: "GET\0 / HTTP/1.1", is: .controlCharacter),
        Attack("a method beyond ASCII", line: "GÉT / HTTP/1.1", is: .requestLine),
        Attack("a long method", line: "\(String(repeating: "M", count: 33)) / HTTP/1.1", is: .requestLine),
        Attack("http in lower case", line: "GET / http/1.1", is: .requestLine),
        Attack("another protocol", line: "GET / HTCPCP/1.1", is: .requestLine),
        Attack("another protocol's version", line: "DESCRIBE / RTSP/1.0", is: .requestLine),
        Attack("a fold in the first line", text: "GET /\r\n HTTP/1.1\r\nHost: a\r\n\r\n", is: .requestLine),
        Attack("two requests in one line", line: "GET / HTTP/1.1 GET /b HTTP/1.1", is: .requestLine),
    ]

    static let versions =
        [
            "0.9", "1.2", "1.3", "2.0", "9.9", "0.0", "1.10", "1.01", "01.1", "1", "1.", "1,1", "1.1a", "1.1\t", "+1.1",
            "", "２.0",
        ]
        .map { Attack("version \($0)", line: "GET / HTTP/\($0)", is: .version) }
        + [
            Attack("HTTP/2's preface", text: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", is: .version),
            Attack("version without its slash", line: "GET / HTTP1.1", is: .requestLine),
        ]

    static let targets = [
        Attack("no slash", target: "up"),
        Attack("a query only", target: "?a"),
        Attack("a fragment", target: "/a#b"),
        Attack("a fragment in the query", target: "/a?b#c"),
        Attack("an asterisk for anything but OPTIONS", target: "*"),
        Attack("an asterisk with more", line: "OPTIONS *a HTTP/1.1", is: .target),
        Attack("an asterisk for lower-case options", line: "options * HTTP/1.1", is: .target),
        Attack("an address without its slashes", target: "http:/a/"),
        Attack("another scheme", target: "ftp://a/"),
        Attack("a WebSocket's scheme", target: "ws://a/"),
        Attack("an address of nobody", target: "http:///a"),
        Attack("an address with a user", target: "http://user@a/"),
        Attack("an address with a password", target: "http://user:pass@a/"),
        Attack("an address with an escape", target: "http://%61/"),
        Attack("an address with a port that is none", target: "http://a:b/"),
        Attack("an address with a backslash", target: "http://a\\b/"),
        Attack("an address with a query only", target: "http://a?b"),
        Attack("an address whose query has a slash", target: "http://a?b/"),
        Attack("an authority", target: "a:80"),
        Attack("CONNECT to a path", line: "CONNECT /a HTTP/1.1", is: .target),
        Attack("CONNECT to an address", line: "CONNECT http://a/ HTTP/1.1", is: .target),
        Attack("CONNECT to everything", line: "CONNECT * HTTP/1.1", is: .target),
        Attack("an escape without digits", target: "/%"),
        Attack("an escape cut short", target: "/%4"),
        Attack("an escape of other letters", target: "/%zz"),
        Attack("an escape with a sign", target: "/%+4"),
        Attack("an escape of Microsoft's", target: "/%u0041"),
        Attack("an escape cut off by the query", target: "/%4?1"),
        Attack("a NUL", target: "/%00"),
        Attack("a NUL at the end of a name", target: "/app.js%00.html"),
        Attack("no UTF-8", target: "/%ff"),
        Attack("an overlong slash", target: "/%c0%af"),
        Attack("an overlong dot", target: "/%c0%ae%c0%ae/"),
        Attack("half a surrogate", target: "/%ed%a0%80"),
        Attack("a raw byte beyond ASCII", target: "/é"),
        Attack("a parent", target: "/../etc/passwd"),
        Attack("a parent within", target: "/a/../b"),
        Attack("a parent at the end", target: "/a/.."),
        Attack("a parent that goes nowhere", target: "/.."),
        Attack("an escaped parent", target: "/%2e%2e/etc/passwd"),
        Attack("a parent half escaped", target: "/a/.%2E/b"),
        Attack("a parent beside an escaped slash", target: "/a%2f../../b"),
        Attack("a parent of an address", target: "http://a/../b"),
        Attack("a broken escape in the query", target: "/a?b=%"),
        Attack("a broken escape in an argument's name", target: "/a?%g0=b"),
        Attack("a NUL in the query", target: "/a?b=%00"),
        Attack("a NUL in an argument's name", target: "/a?%00=b"),
        Attack("no UTF-8 in the query", target: "/a?b=%ff"),
        Attack("a raw byte beyond ASCII in the query", target: "/a?é"),
        Attack("a control character", target: "/\u{1}", is: .controlCharacter),
        Attack("a delete character", target: "/\u{7F}", is: .controlCharacter),
        Attack("a raw NUL", target: "/a\0b", is: .controlCharacter),
    ]

    static let lines = [
        Attack("no colon", fields: "Content-Length", flaw: .fieldLine),
        Attack("an empty name", fields: ": a", flaw: .fieldLine),
        Attack("a colon alone", fields: ":", flaw: .fieldLine),
        Attack("a space before the colon", fields: "Content-Length : 40", flaw: .fieldLine),
        Attack("a tab before the colon", fields: "Content-Length\t: 40", flaw: .fieldLine),
        Attack("a space before the colon of a name that nobody reads", fields: "X : a", flaw: .fieldLine),
        Attack("a NUL before the colon", fields: "Content-Length\0: 40", flaw: .controlCharacter),
        Attack("a NUL in a name", fields: "Content\0-Length: 40", flaw: .controlCharacter),
        Attack("a space in a name", fields: "Content Length: 40", flaw: .fieldLine),
        Attack("a folded line", fields: "X-A: b", " c", flaw: .fieldLine),
        Attack("a line folded by a tab", fields: "X-A: b", "\tc", flaw: .fieldLine),
        Attack("a fold that looks like a header", fields: "X-A: b", " Content-Length: 40", flaw: .fieldLine),
        Attack("a fold of white space", fields: "X-A: b", " ", flaw: .fieldLine),
        Attack("a fold of the first header", text: "GET / HTTP/1.1\r\n Host: a\r\n\r\n", is: .fieldLine),
        Attack("a name in quotes", fields: "\"X\": a", flaw: .fieldLine),
        Attack("a name with a bracket", fields: "X[]: a", flaw: .fieldLine),
        Attack("a name with a slash", fields: "X/A: a", flaw: .fieldLine),
        Attack("a name with an at sign", fields: "X@A: a", flaw: .fieldLine),
        Attack("a name beyond ASCII", fields: "Ｈost: b", flaw: .fieldLine),
        Attack("a name with a soft hyphen", fields: "Content\u{AD}Length: 40", flaw: .fieldLine),
        Attack("a pseudo-header", fields: ":path: /b", flaw: .fieldLine),
        Attack("a byte order mark", text: "GET / HTTP/1.1\r\n\u{FEFF}Host: a\r\n\r\n", is: .fieldLine),
    ]

    static let controlCharacters =
        (Array(UInt8.min...31).filter { ![9, 10, 13].contains($0) } + [127]).map { byte in
            Attack("byte \(byte) in a value", fields: "X: a\(UnicodeScalar(byte))b", flaw: .controlCharacter)
        }
        + [
            Attack("a NUL at a value's end", fields: "Authorization: Bearer a\0", flaw: .controlCharacter),
            Attack("a NUL before a value", fields: "Content-Length:\0 40", flaw: .controlCharacter),
            Attack("lines with LF only", text: "GET / HTTP/1.1\nHost: a\n\n", is: .controlCharacter),
            Attack("one line with LF only", text: "GET / HTTP/1.1\r\nX-A: b\nHost: a\r\n\r\n", is: .controlCharacter),
            Attack("the last line with LF only", text: "GET / HTTP/1.1\r\nHost: a\r\n\n", is: .controlCharacter),
            Attack("a header behind a bare LF", fields: "X-A: b\nContent-Length: 40", flaw: .controlCharacter),
            Attack("a header behind a bare CR", fields: "X-A: b\rContent-Length: 40", flaw: .controlCharacter),
            Attack("lines with CR only", text: "GET / HTTP/1.1\rHost: a\r\r", is: .controlCharacter),
            Attack("two CR", text: "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n", is: .controlCharacter),
            Attack("two CR at the end", text: "GET / HTTP/1.1\r\nHost: a\r\n\r\r\n", is: .controlCharacter),
            Attack("a bare CR in the first line", text: "GET /\rHTTP/1.1\r\nHost: a\r\n\r\n", is: .controlCharacter),
            Attack("a bare CR in a name", text: "GET / HTTP/1.1\r\nHo\rst: a\r\n\r\n", is: .controlCharacter),
            Attack("LF before CR", text: "GET / HTTP/1.1\n\rHost: a\n\r\n\r", is: .controlCharacter),
        ]

    static let hosts = [
        Attack("no Host", text: "GET / HTTP/1.1\r\n\r\n", is: .host),
        Attack("no Host with an absolute target", text: "GET http://a/ HTTP/1.1\r\n\r\n", is: .host),
        Attack("a Host whose name is cut short", text: "GET / HTTP/1.1\r\nHos: a\r\n\r\n", is: .host),
        Attack("two Hosts", fields: "Host: b", flaw: .host),
        Attack("the same Host twice", fields: "Host: pay.example", flaw: .host),
        Attack("two Hosts in different cases", fields: "hOsT: b", flaw: .host),
        Attack("two Hosts in HTTP/1.0", text: "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", is: .host),
        Attack("two Hosts in one line", host: "a, b"),
        Attack("an empty Host", host: ""),
        Attack("an empty Host with an absolute target", text: "GET http://a/ HTTP/1.1\r\nHost:\r\n\r\n", is: .host),
        Attack("a port only", host: ":80"),
        Attack("a port that is none", host: "a:b"),
        Attack("a port with a sign", host: "a:+80"),
        Attack("a port that is too long", host: "a:123456"),
        Attack("two ports", host: "a:80:80"),
        Attack("a user", host: "user@a"),
        Attack("a path", host: "a/b"),
        Attack("a query", host: "a?b"),
        Attack("a fragment", host: "a#b"),
        Attack("a backslash", host: "a\\b"),
        Attack("a space", host: "a b"),
        Attack("a tab", host: "a\tb"),
        Attack("a tab before it", host: "\ta"),
        Attack("a tab behind it", host: "a\t"),
        Attack("a quote", host: "a\"b"),
        Attack("markup", host: "<a>"),
        Attack("an escape", host: "%61"),
        Attack("beyond ASCII", host: "münchen.example"),
        Attack("a dot", host: "."),
        Attack("a dot before the name", host: ".a"),
        Attack("two dots", host: "a..b"),
        Attack("two dots at the end", host: "a.."),
        Attack("IPv6 without brackets", host: "::1"),
        Attack("a bracket that never closes", host: "[::1"),
        Attack("a bracket that never opens", host: "::1]"),
        Attack("a bracket with a tail", host: "[::1]a"),
        Attack("a bracket with a name", host: "[localhost]"),
        Attack("empty brackets", host: "[]"),
        Attack("a zone", host: "[fe80::1%25eth0]"),
        Attack("256 characters", host: String(repeating: "a", count: 256)),
    ]

    static let lengths = [
        Attack("empty", contentLength: ""),
        Attack("a sign", contentLength: "+40"),
        Attack("negative", contentLength: "-1"),
        Attack("hexadecimal", contentLength: "0x28"),
        Attack("with a point", contentLength: "40.0"),
        Attack("with an exponent", contentLength: "4e1"),
        Attack("with a separator", contentLength: "1_000"),
        Attack("a space within", contentLength: "4 0"),
        Attack("a tab before it", contentLength: "\t40"),
        Attack("a tab behind it", contentLength: "40\t"),
        Attack("a list", contentLength: "40, 40"),
        Attack("a list of two lengths", contentLength: "40,0"),
        Attack("something behind it", contentLength: "40;"),
        Attack("digits of another script", contentLength: "４０"),
        Attack("in quotes", contentLength: "\"40\""),
        Attack("more than a number holds", contentLength: "18446744073709551656"),
        Attack("more than anything has", contentLength: String(repeating: "9", count: 19)),
        Attack("1000 zeroes", contentLength: String(repeating: "0", count: 1000)),
        Attack("twice", fields: "Content-Length: 40", "Content-Length: 0", flaw: .contentLength),
        Attack("twice the same", fields: "Content-Length: 40", "content-length: 40", flaw: .contentLength),
    ]

    static let repeated = FieldName.allCases.filter { name in
        ![
            .host, .contentLength, .connection, .upgrade, .forwarded, .via, .transferEncoding,
            .webSocketProtocol, .realIP, .forwardedFor, .forwardedProto, .forwardedHost, .traceparent,
        ].contains(name)
    }
    .map {
        Attack("\($0) twice", fields: "\($0.rawValue): a", "\($0.rawValue.uppercased()): a", flaw: .repeatedField)
    }

    static let limits = [
        Attack("a long line", target: "/" + String(repeating: "a", count: 8192 - 13), is: .targetTooLong),
        Attack("a long line of junk", line: String(repeating: "a", count: 8193), is: .targetTooLong),
        Attack("101 headers", text: RequestHead.text(fields: (0..<100).map { "X-\($0): a" }), is: .tooLarge),
    ]

    static let attacks =
        requestLines + versions + targets + lines + controlCharacters + hosts + lengths + repeated + limits

    /// What the buffer takes for another thing than one head.
    static let others = [
        Attack("nothing", text: "", is: .controlCharacter),
        Attack("nothing but the empty line", text: "\r\n", is: .requestLine),
        Attack("no empty line", text: "GET / HTTP/1.1\r\nHost: a\r\n", is: .controlCharacter),
        Attack("two heads", text: "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", is: .fieldLine),
    ]

    @Test(arguments: attacks + others) func refuses(_ attack: Attack) {
        #expect(throws: attack.flaw) { try RequestHead(parsing: attack.bytes[...]) }
    }

    /// Whatever its pieces are. Which flaw is said first may depend on them.
    @Test(arguments: attacks, [1, 7, 1 << 20]) func isRefusedByTheBuffer(_ attack: Attack, size: Int) {
        var buffer = RequestBuffer()
        #expect(throws: HeadFlaw.self) {
            for start in stride(from: 0, to: attack.bytes.count, by: size) {
                buffer.append(attack.bytes[start...].prefix(size))
                let head = try buffer.takeHead()
                #expect(head == nil)
            }
        }
    }

    @Test(arguments: attacks) func areAnsweredSafely(_ attack: Attack) {
        #expect([400, 414, 431].contains(attack.flaw.status))
        #expect(attack.flaw.code.utf8.allSatisfy { $0 == 95 || (97...122).contains($0) })
        #expect(!attack.flaw.description.isEmpty)
    }
}
