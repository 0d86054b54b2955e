import TestSupport
import Testing

/// Which pages may subscribe: those of the same origin, and those that are listed.
@Suite(.blocking) struct OriginTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        /// `HOST` stands for the server's own host and port. Nil: no header.
        var origin: String?
        /// `Access-Control-Allow-Origin` of the answer; nil when it has none.
        var allowed: String?
        var isRefused = false
        var headers: [(String, String)] = []
        var testDescription: String { name }

        init(
            _ name: String,
            origin: String?,
            allowed: String? = nil,
            isRefused: Bool = false,
            headers: [String] = []
        ) {
            self.name = name
            self.origin = origin
            self.allowed = allowed
            self.isRefused = isRefused
            self.headers = headers.map {
                ("X-Forwarded-\($0.prefix { $0 != "=" })", String($0.drop { $0 != "=" }.dropFirst()))
            }
        }
    }

    static let listed = [
        Case("no origin: no browser", origin: nil),
        Case("the same", origin: "http://HOST"),
        Case("the same, behind TLS that nobody tells of", origin: "https://HOST"),
        Case("the same in upper case", origin: "HTTP://HOST"),
        Case("the same host, another port", origin: "http://127.0.0.1:1", isRefused: true),
        Case("the same host, the scheme's own port", origin: "http://127.0.0.1", isRefused: true),
        Case("the same host, another scheme", origin: "ftp://HOST", isRefused: true),
        Case("listed", origin: "https://shop.example", allowed: "https://shop.example"),
        Case("listed, in upper case", origin: "https://SHOP.example", allowed: "https://shop.example"),
        Case("listed webview", origin: "capacitor://localhost", allowed: "capacitor://localhost"),
        Case("listed host, another scheme", origin: "http://shop.example", isRefused: true),
        Case("listed host, another port", origin: "https://shop.example:8443", isRefused: true),
        Case("a name that begins like a listed one", origin: "https://shop.example.evil.example", isRefused: true),
        Case("a name that ends like a listed one", origin: "https://evil-shop.example", isRefused: true),
        Case("unlisted", origin: "https://evil.example", isRefused: true),
        Case("null: a sandboxed frame", origin: "null", isRefused: true),
        Case("a star", origin: "*", isRefused: true),
        Case("a comma list", origin: "https://evil.example, https://shop.example", isRefused: true),
    ]

    /// The proxy on 127.0.0.1 is trusted.
    static let proxied = [
        Case(
            "TLS in front",
            origin: "https://pay.example",
            headers: ["For=203.0.113.7", "Proto=https", "Host=pay.example"]
        ),
        Case(
            "TLS in front, with its port",
            origin: "https://pay.example",
            headers: ["Proto=https", "Host=pay.example:443"]
        ),
        Case(
            "plain page, TLS in front",
            origin: "http://pay.example",
            isRefused: true,
            headers: ["Proto=https", "Host=pay.example"]
        ),
        Case(
            "no TLS in front",
            origin: "https://pay.example",
            isRefused: true,
            headers: ["Proto=http", "Host=pay.example"]
        ),
        Case(
            "the inner name is not the page's",
            origin: "https://HOST",
            isRefused: true,
            headers: ["Proto=https", "Host=pay.example"]
        ),
        Case(
            "invented by the client",
            origin: "https://evil.example",
            isRefused: true,
            headers: ["Host=evil.example, pay.example"]
        ),
    ]

    @Test func sameAndListedMaySubscribe() throws {
        let server = try PaycastServer(environment: [
            "PAYCAST_ALLOWED_ORIGINS": "https://shop.example,capacitor://localhost"
        ])
        for example in OriginTests.listed { try check(example, on: server) }
    }

    @Test func aTrustedProxyTellsSchemeAndHost() throws {
        let server = try PaycastServer(environment: ["PAYCAST_TRUSTED_PROXIES": "127.0.0.1"])
        for example in OriginTests.proxied { try check(example, on: server) }
    }

    @Test func nobodyElseDoes() throws {
        let server = try PaycastServer()
        try check(
            Case("forged host", origin: "http://evil.example", isRefused: true, headers: ["Host=evil.example"]),
            on: server
        )
    }

    @Test(arguments: ["https://anybody.example", "null"]) func aStarMeansAll(_ origin: String) throws {
        let server = try PaycastServer(environment: ["PAYCAST_ALLOWED_ORIGINS": "*"])
        try check(Case(origin, origin: origin, allowed: origin), on: server)
    }

    /// Server-Sent Events, a WebSocket and Action Cable say the same.
    private func check(_ example: Case, on server: PaycastServer) throws {
        let sign = server.paycast("sign", "room:1")
        #expect(try sign.waitForExit() == 0)
        let path = "/streams?name=\(sign.output.prefix { $0 != "\n" })"
        let origin = example.origin.map { [("Origin", $0.replacing("HOST", with: "127.0.0.1:\(server.port)"))] } ?? []
        let page = try EventStreamClient(port: server.port, path: path, headers: origin + example.headers)
        #expect(page.status == (example.isRefused ? 403 : 200), "\(example.name)")
        let header = page.head.split(separator: "\r\n").first { $0.hasPrefix("Access-Control-Allow-Origin: ") }
        #expect(header?.split(separator: " ").last.map(String.init) == example.allowed, "\(example.name)")
        let socket = try RawWebSocket(port: server.port, path: path, headers: origin + example.headers)
        #expect(socket.status == (example.isRefused ? 403 : 101), "\(example.name)")
        let cable = try RawWebSocket(
            port: server.port,
            path: "/cable",
            subprotocols: ["actioncable-v1-json"],
            headers: origin + example.headers
        )
        #expect(cable.status == (example.isRefused ? 404 : 101), "\(example.name)")
    }
}
