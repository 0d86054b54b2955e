import TestSupport
import Testing

/// A shop that runs without a proxy in front.
@Suite(.blocking) struct TLSJourneyTests {
    private let certificate: TemporaryCertificate
    private let server: PaycastServer

    init() throws {
        certificate = try TemporaryCertificate()
        server = try PaycastServer(
            certificate.settings,
            environment: ["PAYCAST_API_KEY": "key-key-key-key-key", "PAYCAST_STREAM_KEYS": "stream-stream-stream"]
        )
    }

    private func curl(_ path: String, options: String..., more: [String] = []) throws -> String {
        let all = ["-sS", "--cacert", certificate.certificateFile, "-H", "Authorization: Bearer key-key-key-key-key"]
        let process = RunningProcess("curl", arguments: all + options + more + ["\(server.url)\(path)"])
        #expect(try process.waitForExit() == 0, "\(process.errors)")
        return process.output
    }

    @Test func saysHTTPSAndHandsOutItsAddresses() throws {
        #expect(server.process.output == "paycast listening on https://127.0.0.1:\(server.port)\n")
        let page = try curl("/users/42/stream")
        for address in ["https://127.0.0.1:\(server.port)/streams", "wss://127.0.0.1:\(server.port)/streams"] {
            #expect(page.contains(address))
        }
        #expect(!page.contains("http://") && !page.contains("ws://"))
        #expect(
            try curl("/demo/demo.css", options: "-o", "/dev/null", "-w", "%{http_code} %{size_download}").hasPrefix(
                "200 "
            )
        )
        #expect(try curl("/orders", options: "-d", "{\"user\":\"42\",\"product\":\"pro\"}").contains("wss://"))
    }

    /// What browsers do with an address that is `https`.
    @Test func pagesAndPostsGoOverHTTP2() throws {
        let version = ["--http2", "-o", "/dev/null", "-w", "%{http_code} %{http_version}"]
        let order = "{\"user\":\"42\",\"product\":\"pro\"}"
        #expect(try curl("/orders", options: "-d", order, more: version) == "201 2")
        #expect(try curl("/webhooks/apple", options: "-d", "{}", more: version).hasSuffix(" 2"))
        #expect(try curl("/demo/demo.css", more: version) == "200 2")
        let stream = try curl("/users/42/stream")
        let address = try #require(stream.firstRange(of: "\"sse\":\"")).upperBound
        let page = RunningProcess(
            "curl",
            arguments: [
                "-sSN", "--http2", "--cacert", certificate.certificateFile,
                String(stream[address...].prefix { $0 != "\"" }),
            ]
        )
        _ = try page.line { $0.hasPrefix("id: ") }
        let body = "{\"user\":\"42\",\"action\":\"update\",\"target\":\"notice\",\"html\":\"<p>Hello</p>\"}"
        #expect(try curl("/broadcasts", options: "-d", body).contains("cursors"))
        _ = try page.line { $0.hasPrefix("data: ") && $0.contains("Hello") }
        // The connections of earlier requests may just be ending.
        try Deadline(.seconds(60)).wait(for: "two") { try curl("/metrics").contains("paycast_http2_connections 2\n") }
        try server.stop(with: .terminate)
        _ = try page.line { $0.hasPrefix("retry: ") && $0 != "retry: 2000" }
        #expect(try page.waitForExit() == 0)
    }

    /// Renewed under the feet of a page that stays.
    @Test func showsARenewedCertificateWithoutARestart() throws {
        let address = try curl("/users/42/stream").split(separator: "\"").first { $0.contains("/streams?name=") }
        let html = try #require(address?.split(separator: "\\").first.map(String.init))
        let path = try #require(html.firstRange(of: "/streams").map { String(html[$0.lowerBound...]) })
        let tunnel = TLSSocket(port: server.port)
        let page = try EventStreamClient(
            over: tunnel.socket,
            port: server.port,
            path: path.replacing("&amp;", with: "&")
        )
        #expect(page.status == 200)
        _ = try page.block()
        try certificate.make("renewed")
        _ = try server.process.errorLine { $0.contains("certificate renewed") }
        let body = "{\"user\":\"42\",\"action\":\"update\",\"target\":\"notice\",\"html\":\"<p>Hello</p>\"}"
        #expect(try curl("/broadcasts", options: "-d", body).contains("cursors"))
        #expect(try page.message().data?.contains("Hello") == true)
    }

    @Test func keepsTheLastGoodCertificate() throws {
        certificate.folder.write("half a file", to: "key.pem")
        _ = try server.process.errorLine { $0.contains("certificate not renewed") }
        #expect(try curl("/up") == "up\n")
    }

    @Test func wrongFilesAreListedWithEverythingElse() throws {
        let words = ["serve", "--tls-cert", certificate.certificateFile, "--tls-key", "/nowhere", "--loops", "99"]
        let process = PaycastProgram.start(words, folder: certificate.folder.path)
        #expect(try process.waitForExit() == 64)
        #expect(process.errors.contains("--tls-key: “/nowhere” cannot be read"))
        #expect(process.errors.contains("--loops: "))
        let half = PaycastProgram.start(["serve"], environment: ["PAYCAST_TLS_KEY": certificate.keyFile])
        #expect(try half.waitForExit() == 78)
        #expect(half.errors.contains("PAYCAST_TLS_CERT: is missing"))
    }
}
