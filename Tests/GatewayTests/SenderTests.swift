import Testing

@testable import Gateway

/// Who is believed to have sent a request. 127.0.0.1, 10.0.0.0/8 and fd00::/8 are proxies of ours.
@Suite struct SenderTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var headers: ForwardedHeaders
        var peer = "127.0.0.1"
        var address: String?
        var scheme: Scheme?
        var host: String?
        var testDescription: String { name }

        init(
            _ name: String,
            _ addresses: String?,
            proto: String? = nil,
            as host: String? = nil,
            peer: String = "127.0.0.1",
            is address: String?,
            scheme: Scheme? = nil,
            host expectedHost: String? = nil
        ) {
            self.name = name
            self.headers = ForwardedHeaders(addresses: addresses, scheme: proto, host: host)
            self.peer = peer
            self.address = address
            self.scheme = scheme
            self.host = expectedHost
        }
    }

    static let addresses = [
        Case("one client", "203.0.113.7", is: "203.0.113.7"),
        Case("no header: the proxy's machine itself", nil, is: "127.0.0.1"),
        Case("a client that invents hops", "127.0.0.1, 198.51.100.1, 203.0.113.7", is: "203.0.113.7"),
        Case("a client that says it is this machine", "127.0.0.1,203.0.113.7", is: "203.0.113.7"),
        Case("two proxies of ours", "203.0.113.7, 10.0.0.5", is: "203.0.113.7"),
        Case("two proxies of ours and invention", "127.0.0.1, 203.0.113.7, 10.0.0.5", is: "203.0.113.7"),
        Case("nobody but proxies of ours", "127.0.0.1, 10.0.0.5", is: "127.0.0.1"),
        Case("port", "203.0.113.7:4711", is: "203.0.113.7"),
        Case("IPv6", "2001:db8::7", is: "2001:db8::7"),
        Case("IPv6 in brackets", "[2001:db8::7]", is: "2001:db8::7"),
        Case("IPv6 in brackets with a port", "[2001:db8::7]:443", is: "2001:db8::7"),
        Case("IPv6 proxy of ours", "203.0.113.7, [fd00::1]:80", is: "203.0.113.7"),
        Case("IPv6 proxy in front", "203.0.113.7", peer: "fd00::2", is: "203.0.113.7"),
        Case("IPv4 in IPv6", "::ffff:203.0.113.7", is: "203.0.113.7"),
        Case("tabs and blanks", "\t 203.0.113.7 \t", is: "203.0.113.7"),
        Case("garbage", "unknown", is: nil),
        Case("garbage behind a proxy of ours", "_hidden, 10.0.0.5", is: nil),
        Case("empty item", "203.0.113.7,", is: nil),
        Case("commas", ",,,,", is: nil),
        Case("blanks", "   ", is: nil),
        Case("a name", "localhost", is: nil),
        Case("bracket that never closes", "[::1", is: nil),
        Case("bracket with a tail", "[::1]x", is: nil),
        Case("port that is none", "127.0.0.1:99999", is: nil),
        Case("port with a sign", "127.0.0.1:+80", is: nil),
        Case("a character that joins the comma", "x\u{600},203.0.113.7", is: "203.0.113.7"),
        Case(
            "1000 hops of a client",
            Array(repeating: "127.0.0.1", count: 1000).joined(separator: ",") + ",203.0.113.7",
            is: "203.0.113.7"
        ),
        Case("1000 hops of nobody else", Array(repeating: "127.0.0.1", count: 1000).joined(separator: ","), is: nil),
        Case("16 KiB of one item", String(repeating: "9", count: 16_384), is: nil),
    ]

    static let schemes = [
        Case("https", "203.0.113.7", proto: "https", is: "203.0.113.7", scheme: .https),
        Case("upper case", "203.0.113.7", proto: "HTTPS", is: "203.0.113.7", scheme: .https),
        Case("http", "203.0.113.7", proto: "http", is: "203.0.113.7", scheme: .http),
        Case("a WebSocket's", "203.0.113.7", proto: "wss", is: "203.0.113.7", scheme: .https),
        Case("another", "203.0.113.7", proto: "javascript", is: "203.0.113.7"),
        Case(
            "invented by the client before the proxy's own",
            "203.0.113.7",
            proto: "https, http",
            is: "203.0.113.7",
            scheme: .http
        ),
        Case("of the outer proxy", "203.0.113.7, 10.0.0.5", proto: "https, http", is: "203.0.113.7", scheme: .https),
        Case(
            "of the outer proxy, set once",
            "203.0.113.7, 10.0.0.5",
            proto: "https",
            is: "203.0.113.7",
            scheme: .https
        ),
        Case("host", "203.0.113.7", as: "Pay.Example:8443", is: "203.0.113.7", host: "Pay.Example:8443"),
        Case(
            "host invented before the proxy's own",
            "203.0.113.7",
            as: "evil.example, pay.example",
            is: "203.0.113.7",
            host: "pay.example"
        ),
        Case("host with markup", "203.0.113.7", as: "a\"><script>", is: "203.0.113.7"),
        Case("host that is too long", "203.0.113.7", as: String(repeating: "a", count: 256), is: "203.0.113.7"),
        Case("host that is empty", "203.0.113.7", as: " ", is: "203.0.113.7"),
        Case("a proxy that names no address has still forwarded", nil, proto: "https", is: nil, scheme: .https),
    ]

    @Test(arguments: addresses + schemes) func isTheNearestThatIsNotOurs(_ example: Case) throws {
        let proxies = TrustedProxies(["127.0.0.1", "10.0.0.0/8", "fd00::/8"].compactMap(TrustedProxies.Network.init))
        let sender = try Sender(proxy: #require(IPAddress(example.peer)), example.headers, proxies)
        #expect(sender.address?.description == example.address)
        #expect(sender.scheme == example.scheme)
        #expect(sender.host == example.host)
    }
}
