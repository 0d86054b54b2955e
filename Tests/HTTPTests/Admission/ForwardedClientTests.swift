import Testing

@testable import HTTP

/// Who is believed to have sent a request. 127.0.0.1, 10.0.0.0/8 and fd00::/8 are proxies of ours.
@Suite struct ForwardedClientTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var headers: (addresses: String?, scheme: String?, host: String?)
        var peer = "127.0.0.1"
        var address: String?
        var scheme: Scheme?
        var host: String?
        var testDescription: String { name }

        init(
            _ name: String,
            addresses: String?,
            proto: String? = nil,
            as host: String? = nil,
            peer: String = "127.0.0.1",
            is address: String?,
            scheme: Scheme? = nil,
            host expectedHost: String? = nil
        ) {
            self.name = name
            self.headers = (addresses, proto, host)
            self.peer = peer
            self.address = address
            self.scheme = scheme
            self.host = expectedHost
        }
    }

    static let addresses = [
        Case("one client", addresses: "203.0.113.7", is: "203.0.113.7"),
        Case("no header: the proxy's machine itself", addresses: nil, is: "127.0.0.1"),
        Case("a client that invents hops", addresses: "127.0.0.1, 198.51.100.1, 203.0.113.7", is: "203.0.113.7"),
        Case("a client that says it is this machine", addresses: "127.0.0.1,203.0.113.7", is: "203.0.113.7"),
        Case("two proxies of ours", addresses: "203.0.113.7, 10.0.0.5", is: "203.0.113.7"),
        Case("two proxies of ours and invention", addresses: "127.0.0.1, 203.0.113.7, 10.0.0.5", is: "203.0.113.7"),
        Case("nobody but proxies of ours", addresses: "127.0.0.1, 10.0.0.5", is: "127.0.0.1"),
        Case("port", addresses: "203.0.113.7:4711", is: "203.0.113.7"),
        Case("IPv6", addresses: "2001:db8::7", is: "2001:db8::7"),
        Case("IPv6 in brackets", addresses: "[2001:db8::7]", is: "2001:db8::7"),
        Case("IPv6 in brackets with a port", addresses: "[2001:db8::7]:443", is: "2001:db8::7"),
        Case("IPv6 proxy of ours", addresses: "203.0.113.7, [fd00::1]:80", is: "203.0.113.7"),
        Case("IPv6 proxy in front", addresses: "203.0.113.7", peer: "fd00::2", is: "203.0.113.7"),
        Case("IPv4 in IPv6", addresses: "::ffff:203.0.113.7", is: "203.0.113.7"),
        Case("tabs and blanks", addresses: "\t 203.0.113.7 \t", is: "203.0.113.7"),
        Case("garbage", addresses: "unknown", is: nil),
        Case("garbage behind a proxy of ours", addresses: "_hidden, 10.0.0.5", is: nil),
        Case("empty item", addresses: "203.0.113.7,", is: nil),
        Case("commas", addresses: ",,,,", is: nil),
        Case("blanks", addresses: "   ", is: nil),
        Case("a name", addresses: "localhost", is: nil),
        Case("bracket that never closes", addresses: "[::1", is: nil),
        Case("bracket with a tail", addresses: "[::1]x", is: nil),
        Case("port that is none", addresses: "127.0.0.1:99999", is: nil),
        Case("port with a sign", addresses: "127.0.0.1:+80", is: nil),
        Case("a character that joins the comma", addresses: "x\u{600},203.0.113.7", is: "203.0.113.7"),
        Case(
            "1000 hops of a client",
            addresses: Array(repeating: "127.0.0.1", count: 1000).joined(separator: ",") + ",203.0.113.7",
            is: "203.0.113.7"
        ),
        Case(
            "1000 hops of nobody else",
            addresses: Array(repeating: "127.0.0.1", count: 1000).joined(separator: ","),
            is: nil
        ),
        Case("16 KiB of one item", addresses: String(repeating: "9", count: 16_384), is: nil),
    ]

    static let schemes = [
        Case("https", addresses: "203.0.113.7", proto: "https", is: "203.0.113.7", scheme: .https),
        Case("upper case", addresses: "203.0.113.7", proto: "HTTPS", is: "203.0.113.7", scheme: .https),
        Case("http", addresses: "203.0.113.7", proto: "http", is: "203.0.113.7", scheme: .http),
        Case("a WebSocket's", addresses: "203.0.113.7", proto: "wss", is: "203.0.113.7", scheme: .https),
        Case("another", addresses: "203.0.113.7", proto: "javascript", is: "203.0.113.7"),
        Case(
            "invented by the client before the proxy's own",
            addresses: "203.0.113.7",
            proto: "https, http",
            is: "203.0.113.7",
            scheme: .http
        ),
        Case(
            "of the outer proxy",
            addresses: "203.0.113.7, 10.0.0.5",
            proto: "https, http",
            is: "203.0.113.7",
            scheme: .https
        ),
        Case(
            "of the outer proxy, set once",
            addresses: "203.0.113.7, 10.0.0.5",
            proto: "https",
            is: "203.0.113.7",
            scheme: .https
        ),
        Case("host", addresses: "203.0.113.7", as: "Pay.Example:8443", is: "203.0.113.7", host: "Pay.Example:8443"),
        Case(
            "host invented before the proxy's own",
            addresses: "203.0.113.7",
            as: "evil.example, pay.example",
            is: "203.0.113.7",
            host: "pay.example"
        ),
        Case("host with markup", addresses: "203.0.113.7", as: "a\"><script>", is: "203.0.113.7"),
        Case(
            "host that is too long",
            addresses: "203.0.113.7",
            as: String(repeating: "a", count: 256),
            is: "203.0.113.7"
        ),
        Case("host that is empty", addresses: "203.0.113.7", as: " ", is: "203.0.113.7"),
        Case(
            "a proxy that names no address has still forwarded",
            addresses: nil,
            proto: "https",
            is: nil,
            scheme: .https
        ),
    ]

    @Test(arguments: addresses + schemes) func isTheNearestThatIsNotOurs(_ example: Case) throws {
        let proxies = ["127.0.0.1", "10.0.0.0/8", "fd00::/8"].compactMap(IPNetwork.init)
        let origin = try ForwardedClient(
            proxy: #require(IPAddress(example.peer)),
            addresses: example.headers.addresses,
            scheme: example.headers.scheme,
            host: example.headers.host,
            proxies: proxies
        )
        #expect(origin.address?.description == example.address)
        #expect(origin.scheme == example.scheme)
        #expect(origin.host == example.host)
    }
}
