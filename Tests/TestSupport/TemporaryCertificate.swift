/// A self-signed certificate, for this machine unless other names are given, and its key, in a folder of their own.
public final class TemporaryCertificate: Sendable {
    public let folder: TemporaryFolder
    public let certificateFile: String
    public let keyFile: String

    /// `names` as OpenSSL writes them (x509v3_config(5)); `environment` may set another time of day.
    public init(
        _ name: String = "localhost",
        for names: String = "DNS:localhost,IP:127.0.0.1",
        key: [String] = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
        environment: [String: String] = [:]
    ) throws {
        folder = TemporaryFolder()
        certificateFile = folder.path("certificate.pem")
        keyFile = folder.path("key.pem")
        try make(name, for: names, key: key, environment: environment)
    }

    /// Replaces both files, as a renewal does.
    public func make(_ name: String) throws {
        try make(name, for: "DNS:localhost,IP:127.0.0.1", key: ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"])
    }

    private func make(_ name: String, for names: String, key: [String], environment: [String: String] = [:]) throws {
        let options = ["-newkey"] + key + ["-nodes", "-days", "2"]
        let subject = ["-subj", "/CN=\(name)", "-addext", "subjectAltName=\(names)"]
        let files = ["-keyout", keyFile, "-out", certificateFile]
        let words = ["req", "-x509"] + options + subject + files
        let process = RunningProcess("openssl", arguments: words, environment: environment)
        guard try process.waitForExit() == 0 else {
            throw RunningProcess.Timeout(description: process.errors)
        }
    }

    public var settings: [String] { ["--tls-cert", certificateFile, "--tls-key", keyFile] }
}
