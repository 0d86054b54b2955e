import HTTPClient
import TestSupport
import Testing

/// Who is trusted, and what is said of those who are not.
@Suite(.blocking) struct TLSTests {
    private static let longAgo = FakeClock.environment("2020-01-01 00:00:00")
    private static let farAhead = FakeClock.environment("2040-01-01 00:00:00")

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var names = "DNS:localhost,IP:127.0.0.1"
        var key = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        var environment: [String: String] = [:]
        var isNamed = true
        var flaw: CertificateFlaw
    }

    @Test(
        .enabled(if: FakeClock.isInstalled),
        arguments: [
            Case(testDescription: "nobody vouches for it", isNamed: false, flaw: .unknownAuthority),
            Case(testDescription: "another name", names: "DNS:other.test", flaw: .otherName),
            Case(testDescription: "expired", environment: longAgo, flaw: .expired),
            Case(testDescription: "not yet valid", environment: farAhead, flaw: .notYetValid),
            Case(testDescription: "weak", key: ["rsa:1024"], flaw: .other("EE certificate key too weak")),
        ]
    ) func saysWhyACertificateIsNotTrusted(_ given: Case) throws {
        let certificate = try TemporaryCertificate(for: given.names, key: given.key, environment: given.environment)
        // With a key that OpenSSL itself would not serve.
        let server = try TLSServer(certificate, options: ["-cipher", "DEFAULT:@SECLEVEL=0"])
        let client = HTTPClient(
            timeout: .seconds(60),
            authorityFile: given.isNamed ? certificate.certificateFile : nil
        )
        #expect(throws: HTTPClientError.certificate(server.url, given.flaw)) { try client.send("GET", to: server.url) }
    }

    /// A file that is named is trusted alone: beside it, not even the folder of the system's.
    @Test func trustsOnlyTheAuthorityThatIsNamed() throws {
        let (certificate, other) = (try TemporaryCertificate(), try TemporaryCertificate("other"))
        let server = try TLSServer(certificate)
        let trusting = HTTPClient(timeout: .seconds(60), authorityFile: certificate.certificateFile)
        #expect(try trusting.send("GET", to: server.url).status == 200)
        let wary = HTTPClient(timeout: .seconds(60), authorityFile: other.certificateFile)
        #expect(throws: HTTPClientError.certificate(server.url, .unknownAuthority)) {
            try wary.send("GET", to: server.url)
        }
        let blind = HTTPClient(timeout: .seconds(60), authorityFile: "/nowhere")
        #expect(throws: HTTPClientError.noAuthorities("/nowhere")) { try blind.send("GET", to: server.url) }
    }

    @Test func saysWhyThereIsNoTLS() throws {
        let plain = SocketServer { socket in
            _ = try socket.read(count: 5)
            try socket.send("HTTP/1.1 400 Bad Request\r\n\r\n")
            _ = try socket.readToEnd()
        }
        let address = "https" + plain.url.dropFirst("http".count)
        let client = HTTPClient(timeout: .seconds(60))
        #expect(throws: HTTPClientError.noTLS(address, reason: "wrong version number")) {
            try client.send("GET", to: address)
        }
        let mute = SocketServer { _ in }
        let other = "https" + mute.url.dropFirst("http".count)
        #expect(throws: HTTPClientError.brokenOff(other)) { try client.send("GET", to: other) }
    }
}
