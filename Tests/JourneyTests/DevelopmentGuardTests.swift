import TestSupport
import Testing

/// A page of a stranger, open in a developer's browser, gets nothing from a development server and changes nothing in it.
@Suite(.blocking) struct DevelopmentGuardTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var line: String
        /// `HOST` stands for the server's own address.
        var host = "HOST"
        var headers: [String] = []
        var status: Int
        var error: String?
        var testDescription: String { name }
    }

    private static let store = "POST /demo/store"
    private static let form = "Content-Type: text/plain"

    static let all = [
        Case(
            name: "the demo itself",
            line: store,
            headers: ["Origin: http://HOST", "Sec-Fetch-Site: same-origin"],
            status: 200
        ),
        Case(name: "no browser", line: store, status: 200),
        Case(name: "a link from another site", line: "GET /", headers: ["Sec-Fetch-Site: cross-site"], status: 200),
        Case(name: "a listed page", line: store, headers: ["Origin: https://tunnel.example:8443"], status: 200),
        Case(
            name: "a form of another site",
            line: store,
            headers: [form, "Origin: https://evil.example", "Sec-Fetch-Site: cross-site"],
            status: 403,
            error: "origin_not_allowed"
        ),
        Case(
            name: "a sandboxed frame",
            line: store,
            headers: ["Origin: null"],
            status: 403,
            error: "origin_not_allowed"
        ),
        Case(
            name: "another port of this machine",
            line: store,
            headers: ["Origin: http://127.0.0.1:1", "Sec-Fetch-Site: same-site"],
            status: 403,
            error: "origin_not_allowed"
        ),
        Case(
            name: "a browser that leaves Origin away",
            line: store,
            headers: ["Sec-Fetch-Site: cross-site"],
            status: 403,
            error: "origin_not_allowed"
        ),
        Case(
            name: "the clock",
            line: "PUT /demo/api/clock",
            headers: ["Origin: https://evil.example"],
            status: 403,
            error: "origin_not_allowed"
        ),
        Case(
            name: "a stand-in",
            line: "POST /demo/api/apple/inApps/v1/notifications/test",
            headers: ["Origin: https://evil.example"],
            status: 403,
            error: "origin_not_allowed"
        ),
        Case(name: "a stranger's name", line: "GET /", host: "evil.example", status: 403, error: "host_not_allowed"),
        Case(
            name: "a stranger's name with our port",
            line: store,
            host: "evil.example:8080",
            headers: ["Origin: http://evil.example:8080", "Sec-Fetch-Site: same-origin"],
            status: 403,
            error: "host_not_allowed"
        ),
        Case(
            name: "a name like an address",
            line: "GET /",
            host: "127.0.0.1.evil.example",
            status: 403,
            error: "host_not_allowed"
        ),
        Case(
            name: "a name like ours",
            line: "GET /",
            host: "localhost.evil.example",
            status: 403,
            error: "host_not_allowed"
        ),
        Case(
            name: "a name like a listed one",
            line: "GET /",
            host: "evil-tunnel.example",
            status: 403,
            error: "host_not_allowed"
        ),
        Case(
            name: "a forwarded name, which any page may send",
            line: "GET /",
            host: "evil.example",
            headers: ["X-Forwarded-Host: localhost", "X-Forwarded-Proto: http"],
            status: 403,
            error: "host_not_allowed"
        ),
        Case(
            name: "the list of events",
            line: "GET /demo/events",
            host: "evil.example",
            status: 403,
            error: "host_not_allowed"
        ),
        Case(name: "readiness", line: "GET /ready", host: "evil.example", status: 403, error: "host_not_allowed"),
        Case(name: "a file", line: "GET /demo/demo.js", host: "evil.example", status: 403, error: "host_not_allowed"),
        Case(name: "localhost", line: "GET /", host: "localhost:8080", status: 200),
        Case(name: "localhost in full", line: "GET /", host: "Localhost.", status: 200),
        Case(name: "a name of this machine", line: "GET /", host: "shop.localhost:3000", status: 200),
        Case(name: "an address of the network", line: "GET /", host: "192.168.1.7:8080", status: 200),
        Case(name: "IPv6", line: "GET /", host: "[::1]:8080", status: 200),
        Case(name: "IPv4 in IPv6", line: "GET /", host: "[::ffff:192.168.1.7]", status: 200),
        Case(name: "a container's name", line: "GET /", host: "paycast:8080", status: 200),
        Case(name: "a listed name, another port", line: "GET /", host: "Tunnel.example", status: 200),
        Case(name: "a store through any tunnel", line: "POST /webhooks/apple", host: "a1.tunnels.example", status: 400),
        Case(name: "a probe of a proxy", line: "GET /up", host: "evil.example", status: 200),
    ]

    @Test func keepsStrangersPagesOut() throws {
        let server = try PaycastServer(environment: [
            "PAYCAST_ALLOWED_ORIGINS": "https://tunnel.example:8443", "PAYCAST_TRUSTED_PROXIES": "127.0.0.1",
        ])
        for example in Self.all {
            let answer = try answer(example, from: server)
            #expect(answer.hasPrefix("HTTP/1.1 \(example.status) "), "\(example.name): \(answer)")
            if let error = example.error {
                #expect(answer.contains("{\"error\":\"\(error)\""), "\(example.name): \(answer)")
                #expect(answer.contains("PAYCAST_ALLOWED_ORIGINS"), "\(example.name): \(answer)")
            }
        }
    }

    @Test func aStarLetsAllIn() throws {
        let server = try PaycastServer(environment: ["PAYCAST_ALLOWED_ORIGINS": "*"])
        let page = Case(
            name: "",
            line: Self.store,
            host: "a.example",
            headers: ["Origin: https://b.example"],
            status: 200
        )
        #expect(try answer(page, from: server).hasPrefix("HTTP/1.1 200 "))
    }

    /// There a proxy may pass on any name, and nothing is served without a key.
    @Test func aProductionServerAnswersToAnyName() throws {
        let server = try PaycastServer([], environment: ["PAYCAST_API_KEY": "0123456789abcdef"])
        let page = Case(name: "", line: "GET /demo/demo.js", host: "pay.example", status: 200)
        #expect(try answer(page, from: server).hasPrefix("HTTP/1.1 200 "))
    }

    @Test(arguments: [("0.0.0.0", true), ("127.0.0.1", false), ("localhost", false)])
    func warnsWhenTheNetworkIsLetIn(_ address: String, warns: Bool) throws {
        let folder = TemporaryFolder()
        let process = PaycastProgram.start(
            ["serve", "--dev", "--port", "0", "--bind", address, "--public", PaycastProgram.root + "/public"],
            folder: folder.path
        )
        _ = try process.line { $0.hasPrefix("paycast listening on ") }
        _ = try process.errorLine { $0.contains(" serving ") }
        #expect(process.errors.contains("--dev with --bind \(address)") == warns, "\(process.errors)")
        process.send(.terminate)
        #expect(try process.waitForExit() == 0)
    }

    private func answer(_ example: Case, from server: PaycastServer) throws -> String {
        let own = "127.0.0.1:\(server.port)"
        let body = example.line.hasPrefix("GET") ? "" : #"{"user":"42","step":"initial"}"#
        var head = ["\(example.line) HTTP/1.1", "Host: \(example.host)", "Connection: close"] + example.headers
        if !body.isEmpty { head.append("Content-Length: \(body.utf8.count)") }
        let socket = try server.connect()
        try socket.send(head.joined(separator: "\r\n").replacing("HOST", with: own) + "\r\n\r\n" + body)
        return String(decoding: try socket.readToEnd(), as: UTF8.self)
    }
}
