import Domain
import HTTP
import Pages
import TestSupport
import Testing

@testable import Gateway

/// A gateway with TLS, and those who speak HTTP/2 with it.
final class HTTP2Fixture {
    let certificate: TemporaryCertificate
    let server: ScriptedGateway

    init(loops: Int = 2, limits: Limits = Limits(), tick: Duration = .milliseconds(100)) throws {
        certificate = try TemporaryCertificate()
        server = try ScriptedGateway(loops: loops, certificate: certificate, limits: limits, tick: tick)
    }

    var port: Int { server.gateway.port }

    func connect(_ settings: [(id: UInt16, value: UInt32)] = []) throws -> HTTP2Client {
        try HTTP2Client(port: port, settings: settings)
    }

    /// Standard output of a curl that had no complaint.
    func curl(_ path: String, options: String...) throws -> String {
        let common = ["-sS", "--cacert", certificate.certificateFile, "--max-time", "60"]
        let curl = RunningProcess("curl", arguments: common + options + ["https://localhost:\(port)\(path)"])
        #expect(try curl.waitForExit(timeout: .seconds(60)) == 0, "\(curl.errors)")
        return curl.output
    }

    func publish(_ text: String) throws {
        let stream = try #require(StreamName("x"))
        let message = Message(stream: stream, position: nil, parts: [Part(html: Array(text.utf8), collapseKey: nil)])
        server.gateway.publish([Publication(transient: [message])])
    }

    func waitFor(_ line: String) throws { try server.waitFor(line) }

    /// Opens a page on `stream`, and waits for its cursor.
    func openPage(_ stream: UInt32, on client: HTTP2Client) throws {
        try client.send(.request(stream, path: "/streams?name=x"))
        _ = try client.text(stream, until: "id: test-7\n\n")
    }

    func expectHealth() throws {
        #expect(try curl("/up", options: "--http2", "-w", "%{http_version}") == "up\n2")
        #expect(try curl("/up", options: "--http1.1", "-w", "%{http_version}") == "up\n1.1")
    }
}
