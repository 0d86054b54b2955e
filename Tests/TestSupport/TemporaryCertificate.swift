/// A self-signed certificate for this machine, and its key, in a folder of their own.
public final class TemporaryCertificate: Sendable {
    public let folder: TemporaryFolder
    public let certificateFile: String
    public let keyFile: String

    public init(_ name: String = "localhost") throws {
        folder = TemporaryFolder()
        certificateFile = folder.path("certificate.pem")
        keyFile = folder.path("key.pem")
        try make(name)
    }

    /// Replaces both files, as a renewal does.
    public func make(_ name: String) throws {
        let options = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
        let names = ["-subj", "/CN=\(name)", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        let files = ["-keyout", keyFile, "-out", certificateFile]
        let process = RunningProcess("openssl", arguments: ["req", "-x509"] + options + names + files)
        guard try process.waitForExit() == 0 else {
            throw RunningProcess.Timeout(description: process.errors)
        }
    }

    public var settings: [String] { ["--tls-cert", certificateFile, "--tls-key", keyFile] }
}
