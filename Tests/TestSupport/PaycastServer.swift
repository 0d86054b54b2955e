internal import Synchronization

/// A `paycast serve` of its own, with its ledger and its `.paycast/` in a temporary folder.
public final class PaycastServer: Sendable {
    public let folder: TemporaryFolder
    public let port: Int
    private let arguments: [String]
    private let environment: [String: String]
    private let current: Mutex<RunningProcess>

    /// Waits until it listens on any free port. `publicFolder`: another than the project's.
    public init(
        _ arguments: [String] = ["--dev"],
        publicFolder: String = PaycastProgram.root + "/public",
        environment: [String: String] = [:]
    ) throws {
        folder = TemporaryFolder()
        let arguments = ["--public", publicFolder] + arguments
        self.arguments = arguments
        self.environment = environment
        let process = PaycastServer.start(["--port", "0"] + arguments, environment, folder)
        port = try PaycastServer.port(of: process)
        current = Mutex(process)
    }

    public var url: String { "\(arguments.contains("--tls-cert") ? "https" : "http")://127.0.0.1:\(port)" }
    public var process: RunningProcess { current.withLock { $0 } }

    /// Ends it, `kill -9` unless told otherwise, and starts it again on the same ledger and port.
    public func restart(with signal: RunningProcess.Signal = .kill) throws {
        try stop(with: signal)
        try start()
    }

    public func stop(with signal: RunningProcess.Signal = .kill) throws {
        process.send(signal)
        try process.waitForExit()
    }

    /// Starts it again after `stop`.
    public func start() throws {
        let next = PaycastServer.start(["--port", "\(port)"] + arguments, environment, folder)
        _ = try PaycastServer.port(of: next)
        current.withLock { $0 = next }
    }

    /// Runs a client command in the server's folder, where it finds the address and the keys.
    public func paycast(_ arguments: String..., input: String = "") -> RunningProcess {
        paycast(arguments, input: input)
    }

    public func paycast(_ arguments: [String], input: String = "") -> RunningProcess {
        PaycastProgram.start(arguments, folder: folder.path, input: input)
    }

    public func connect() throws(RawSocketError) -> RawSocket {
        try RawSocket(port: port)
    }

    private static func start(
        _ arguments: [String],
        _ environment: [String: String],
        _ folder: TemporaryFolder
    ) -> RunningProcess {
        PaycastProgram.start(
            ["serve"] + arguments,
            environment: environment,
            folder: folder.path
        )
    }

    private static func port(of process: RunningProcess) throws -> Int {
        let prefix = "paycast listening on http"
        let line = try process.line { $0.hasPrefix(prefix) }
        guard let port = line.split(separator: ":").last.flatMap({ Int($0) }) else {
            throw RunningProcess.Timeout(description: "no port in “\(line)”")
        }
        return port
    }
}
