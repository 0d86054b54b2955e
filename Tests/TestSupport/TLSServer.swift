/// `openssl s_server`: on loopback, with TLS of OpenSSL's own. It answers each GET with a page.
public final class TLSServer: Sendable {
    public let url: String
    private let process: RunningProcess
    private let certificate: TemporaryCertificate

    /// `options` are those of s_server, such as `-tls1_1`.
    public init(_ certificate: TemporaryCertificate, options: [String] = []) throws {
        self.certificate = certificate
        let files = ["-cert", certificate.certificateFile, "-key", certificate.keyFile]
        process = RunningProcess(
            "openssl",
            arguments: ["s_server", "-www", "-accept", "127.0.0.1:0"] + files + options
        )
        let line = try process.line { $0.hasPrefix("ACCEPT ") }
        url = "https://" + line.dropFirst("ACCEPT ".count)
    }
}
