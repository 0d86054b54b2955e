import Crypto
import Synchronization

/// A `paycast serve` of its own, with its ledger and its `.paycast/` in a temporary folder.
public final class PaycastServer: Sendable {
    public let folder: TemporaryFolder
    private let reserved = ReservedPort()
    /// Held for this server and the next one.
    private let socket: HeldSocket?
    private let arguments: [String]
    private let program: String
    private let environment: [String: String]
    private let current: Mutex<RunningProcess>

    /// Waits until it listens. `publicFolder`: another than the project's; `program`: another than `paycast`; `inheriting`: a
    /// socket in place of one of its own.
    public init(
        _ arguments: [String] = ["--dev"],
        publicFolder: String = PaycastProgram.root + "/public",
        program: String = PaycastProgram.path,
        environment: [String: String] = [:],
        inheriting socket: HeldSocket? = nil
    ) throws {
        folder = TemporaryFolder()
        if arguments.contains("--dev") { folder.write(try PaycastServer.googleKey.get(), to: ".paycast/google.pem") }
        let arguments = ["--public", publicFolder] + arguments
        self.arguments = arguments
        self.program = program
        self.environment = environment
        self.socket = socket
        let words = PaycastServer.words(arguments, port: socket?.port ?? reserved.number)
        current = Mutex(
            try PaycastServer.start(program, words: words, environment: environment, folder: folder, socket: socket)
        )
    }

    /// Shared by all servers of a run: making an RSA key is two thirds of a new server's start.
    private static let googleKey = Result { try RSAPrivateKey.generate().pem() }

    public var url: String { "\(arguments.contains("--tls-cert") ? "https" : "http")://127.0.0.1:\(port)" }
    public var port: Int { socket?.port ?? reserved.number }
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

    /// Starts it again after `stop`; `database` is another ledger than at first, and another program takes its place this
    /// once.
    public func start(_ other: String? = nil, database: String? = nil) throws {
        let words = PaycastServer.words(arguments, port: port)
        let environment = environment.merging(database.map { ["DATABASE_URL": $0] } ?? [:]) { $1 }
        let next = try PaycastServer.start(
            other ?? program,
            words: words,
            environment: environment,
            folder: folder,
            socket: socket
        )
        current.withLock { $0 = next }
    }

    /// Runs a client command in the server's folder, where it finds the address and the keys.
    public func paycast(_ arguments: String..., input: String = "") -> RunningProcess {
        paycast(arguments, input: input)
    }

    public func paycast(_ arguments: [String], input: String = "") -> RunningProcess {
        PaycastProgram.start(arguments, folder: folder.path, input: input)
    }

    /// What `paycast doctor` says of this server, in an environment of its own, as on another machine.
    public func doctor(key: String? = nil, environment: [String: String] = [:]) throws -> String {
        let words = ["doctor", "--server", url] + (key.map { ["--key", $0] } ?? [])
        let process = PaycastProgram.start(words, environment: environment, folder: folder.path)
        _ = try process.waitForExit(timeout: .seconds(120))
        return process.output
    }

    public func connect() throws(RawSocketError) -> RawSocket {
        try RawSocket(port: port)
    }

    private static func words(_ arguments: [String], port: Int) -> [String] {
        ["serve", "--port", "\(port)"] + arguments
    }

    private static func start(
        _ program: String,
        words: [String],
        environment: [String: String],
        folder: TemporaryFolder,
        socket: HeldSocket?
    ) throws -> RunningProcess {
        let process = PaycastProgram.start(
            words,
            inheriting: [socket].compactMap(\.self),
            program: program,
            environment: environment,
            folder: folder.path
        )
        _ = try process.line { $0.hasPrefix("paycast listening on http") }
        return process
    }
}
