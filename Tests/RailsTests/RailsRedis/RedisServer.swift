import TestSupport

/// A real `redis-server` on a port of its own, which keeps nothing.
final class RedisServer {
    private let reserved = ReservedPort()
    private let reservedForTLS = ReservedPort()
    private let folder = TemporaryFolder()
    private let settings: [String]
    private var process: RunningProcess

    /// Waits until it accepts connections: over TLS too, if it has a certificate.
    init(_ settings: [String] = [], tls certificate: TemporaryCertificate? = nil) throws {
        let port = "\(reserved.number)"
        let portForTLS = "\(reservedForTLS.number)"
        let security =
            certificate.map { certificate in
                ["--tls-port", portForTLS, "--tls-auth-clients", "no"]
                    + ["--tls-cert-file", certificate.certificateFile, "--tls-key-file", certificate.keyFile]
            } ?? []
        self.settings =
            ["--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"] + security + settings
        process = RunningProcess("redis-server", arguments: self.settings, folder: folder.path)
        try waitUntilReady()
    }

    var port: Int { reserved.number }
    var url: String { "redis://127.0.0.1:\(port)" }
    var portForTLS: Int { reservedForTLS.number }

    /// `kill -9`.
    func kill() throws {
        process.send(.kill)
        try process.waitForExit()
    }

    /// It runs no more, but its connections stay open.
    func freeze() { process.send(.stop) }

    func thaw() { process.send(.resume) }

    /// On the same port, after `kill`.
    func start() throws {
        process = RunningProcess("redis-server", arguments: settings, folder: folder.path)
        try waitUntilReady()
    }

    func client() throws -> RedisClient { try RedisClient(port: port) }

    private func waitUntilReady() throws {
        _ = try process.line { $0.contains("Ready to accept connections") }
    }
}
