import Domain
import Gateway
import Pages
import Support
import TestSupport
import Testing

/// What is served over HTTP/1.1 is served over HTTP/2, by the same rules, and on the same port.
@Suite(.serialized, .blocking) struct HTTP2Tests {
    private let fixture: HTTP2Fixture

    init() throws {
        fixture = try HTTP2Fixture()
    }

    struct Exchange: Sendable, CustomTestStringConvertible {
        var name: String
        var path: String
        var options: [String] = []
        var testDescription: String { name }
    }

    static let exchanges = [
        Exchange(name: "GET", path: "/up"),
        Exchange(name: "HEAD", path: "/up", options: ["-I"]),
        Exchange(name: "nothing there", path: "/nothing"),
        Exchange(name: "wrong method", path: "/up", options: ["-d", ""]),
        Exchange(name: "POST answered by another thread", path: "/orders", options: ["-d", "hello"]),
        Exchange(name: "long body", path: "/orders", options: ["-d", String(repeating: "x", count: 100_000)]),
        Exchange(name: "queue that is full", path: "/users/1/entitlements"),
        Exchange(name: "who it is", path: "/ready"),
        Exchange(
            name: "who it claims to be",
            path: "/ready",
            options: ["-H", "X-Forwarded-For: 10.0.0.1", "-H", "X-Forwarded-Proto: http", "-H", "Forwarded: for=x"]
        ),
        Exchange(name: "another host", path: "/ready", options: ["-H", "Host: shop.example"]),
        Exchange(
            name: "key holder",
            path: "/broadcasts",
            options: ["-H", "Authorization: Bearer test-key", "-d", "x"]
        ),
        Exchange(name: "trailing part of the path", path: "/up?a=b&c=%20"),
    ]

    @Test(arguments: exchanges) func answersAsOverHTTP1(_ exchange: Exchange) throws {
        let old = try curl(exchange, version: "--http1.1")
        let new = try curl(exchange, version: "--http2")
        #expect(new.hasSuffix("2"))
        #expect(new.dropLast() == old.dropLast(3))
        #expect(old.count > 4)
    }

    /// Status, type and body, and the version at the end.
    private func curl(_ exchange: Exchange, version: String) throws -> String {
        let format = "%{response_code} %{content_type} %{size_download} %{http_version}"
        let common = ["-sS", "--cacert", fixture.certificate.certificateFile, "--max-time", "10", "-w", format]
        // What HTTP/1.1 and HTTP/2 write differently in a head is not compared.
        let output = exchange.options.contains("-I") ? ["-o", "/dev/null"] : []
        let address = "https://localhost:\(fixture.port)\(exchange.path)"
        let curl = RunningProcess("curl", arguments: common + output + [version] + exchange.options + [address])
        // 18, 92: the body that was announced never came.
        #expect([0, 18, 92, 28].contains(try curl.waitForExit()), "\(curl.errors)")
        return curl.output
    }

    @Test func pagesOfOneConnectionAllGetEveryMessage() throws {
        let client = try fixture.connect()
        let streams = (0..<20).map { UInt32(2 * $0 + 1) }
        for stream in streams { try fixture.openPage(stream, on: client) }
        try fixture.waitFor("paycast_pages{transport=\"sse\"} 20")
        #expect(fixture.server.metrics.page().contains("paycast_http2_connections 1\n"))
        #expect(fixture.server.metrics.page().contains("paycast_http2_streams 20\n"))
        for number in 0..<10 { try fixture.publish("message \(number)") }
        var texts: [UInt32: String] = [:]
        while streams.contains(where: { texts[$0]?.contains("message 9\n\n") != true }) {
            let frame = try client.frame()
            guard frame.kind == .data else { continue }
            texts[frame.stream, default: ""] += String(decoding: frame.payload, as: UTF8.self)
        }
        let all = (0..<10).map { "data: message \($0)\n\n" }.joined()
        for stream in streams { #expect(texts[stream]?.withoutHeartbeats == all) }
        try fixture.expectHealth()
    }

    @Test func pageThatIsResetIsForgottenAndTheOthersStay() throws {
        let client = try fixture.connect()
        for stream in [1, 3] as [UInt32] { try fixture.openPage(stream, on: client) }
        try client.send(.reset(1))
        try fixture.waitFor("paycast_pages{transport=\"sse\"} 1")
        try fixture.publish("still there")
        #expect(try client.text(3, until: "\n\n") == "data: still there\n\n")
    }

    @Test func connectionThatDiesTakesItsPagesAlong() throws {
        var client: HTTP2Client? = try fixture.connect()
        for stream in [1, 3, 5] as [UInt32] { try client.map { try fixture.openPage(stream, on: $0) } }
        try client?.send(.request(7, path: "/orders", method: "POST", fields: [("content-length", "500")], ends: false))
        try fixture.waitFor("paycast_http2_streams 4")
        client = nil
        for line in ["paycast_http2_streams 0", "paycast_http2_connections 0", "paycast_connections 0"] {
            try fixture.waitFor(line)
        }
    }

    /// Larger than every window and buffer on the way.
    @Test func longAnswerArrivesWhole() throws {
        let size = try fixture.curl("/metrics", options: "--http2", "-o", "/dev/null", "-w", "%{size_download}")
        #expect(size == "\(ScriptedGateway.long.utf8.count)")
    }

    @Test func answerBeforeTheBodyReachesAClientThatIsStillSending() throws {
        let folder = TemporaryFolder()
        let body = folder.write(String(repeating: "x", count: 600_000), to: "body")
        let status = try fixture.curl("/orders", options: "--http2", "--data-binary", "@\(body)", "-w", " %{http_code}")
        #expect(status.contains("body_too_large"))
        #expect(status.hasSuffix(" 413"))
    }

    @Test func answerBeforeTheBodyLetsOtherRequestsPass() throws {
        let client = try fixture.connect()
        try client.send(
            .request(1, path: "/orders", method: "POST", fields: [("content-length", "900000")], ends: false)
        )
        #expect(try client.text(1, until: "}").contains("body_too_large"))
        try client.send(.init(.data, stream: 1, payload: [1]), .request(3, path: "/up"))
        #expect(try client.text(3, until: "up\n") == "up\n")
    }

    @Test func webSocketsAreServedBesideIt() throws {
        let tunnel = TLSSocket(port: fixture.port, options: ["-alpn", "http/1.1"])
        let page = try RawWebSocket(over: tunnel.socket, port: fixture.port, path: "/streams?name=x")
        #expect(page.isAccepted)
        try page.send(.ping)
        while try page.frame().opcode != .pong {}
        try fixture.publish("hello")
        #expect(try page.text() == "hello")
    }

    @Test func renewedCertificateIsShownToNewConnectionsOnly() throws {
        let standing = try fixture.connect()
        try fixture.openPage(1, on: standing)
        let renewed = try TemporaryCertificate("renewed")
        fixture.server.gateway.renew(
            try ServerIdentity(certificateFile: renewed.certificateFile, keyFile: renewed.keyFile)
        )
        // The port is a queue that is taken before the sockets: the first that comes after it sees the new one.
        let curl = RunningProcess(
            "curl",
            arguments: ["-s", "--http2", "--cacert", renewed.certificateFile, "-w", "%{http_version}"]
                + ["https://localhost:\(fixture.port)/up"]
        )
        #expect(try curl.waitForExit() == 0)
        #expect(curl.output == "up\n2")
        try fixture.publish("hello")
        #expect(try standing.text(1, until: "\n\n") == "data: hello\n\n")
    }

    /// One turn of the loop writes 256 KiB. The turns follow each other at once, and wait for no tick: here none comes.
    @Test func longMessageIsNotHeldUpBetweenTurns() throws {
        let fixture = try HTTP2Fixture(tick: .seconds(3600))
        let client = try fixture.connect([(id: 4, value: 0x7FFF_FFFF)])
        try client.send(.credit(0x7FFF_0000))
        try fixture.openPage(1, on: client)
        try fixture.publish(String(repeating: "x", count: 16 << 20))
        var count = try client.frame(.data, stream: 1).payload.count
        let whole = (16 << 20) + "data: \n\n".utf8.count
        while count < whole { count += try client.frame(.data, stream: 1).payload.count }
        #expect(count == whole)
    }

    /// A goodbye for the connection, a reconnect delay for each page, and the end of both.
    @Test func drainEndsPagesAndThenTheConnection() throws {
        let client = try fixture.connect()
        for stream in [1, 3] as [UInt32] { try fixture.openPage(stream, on: client) }
        fixture.server.gateway.drain()
        let frames = try client.framesToEnd()
        #expect(frames.contains { $0.kind == .goAway && $0.code == 0 })
        for stream in [1, 3] as [UInt32] {
            let data = frames.filter { $0.kind == .data && $0.stream == stream }
            #expect(String(decoding: data.flatMap(\.payload), as: UTF8.self).hasPrefix("retry: "))
            #expect((data.last?.flags ?? 0) & HTTP2Frame.endStream != 0)
        }
    }
}
