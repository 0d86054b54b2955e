import Commands
import Glibc
import Server
import Support

/// Runs the server until SIGTERM or SIGINT.
struct Serve: Command {
    static let name = "serve"
    static let options = [
        "--port", "--bind", "--database", "--public", "--loops", "--tls-cert", "--tls-key", "--log-format",
        "--log-level",
    ]

    private let flags: [String: String]
    private let isDevelopment: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        flags = try serverFlags(&arguments, named: Serve.options)
        isDevelopment = try arguments.flag("--dev")
    }

    func run() throws -> Int32 {
        try serve(flags, isDevelopment: isDevelopment)
    }
}

/// Runs `serve --dev` on a ledger that is thrown away at the end.
struct Demo: Command {
    static let name = "demo"

    private let flags: [String: String]

    init(_ arguments: inout Arguments) throws(UsageError) {
        flags = try serverFlags(
            &arguments,
            named: Serve.options.filter { $0 != "--database" && !$0.hasPrefix("--tls") }
        )
    }

    func run() throws -> Int32 {
        let folder = try createTemporaryFolder()
        defer { removeFlatFolder(folder) }
        printError("Open the address below, then pay from another terminal in this folder:")
        printError("  paycast trigger apple SUBSCRIBED/INITIAL_BUY --user demo")
        var environment = processEnvironment()
        if environment["PAYCAST_CATALOG"] == nil {
            environment["PAYCAST_CATALOG"] = try writeCatalog(into: folder)
        }
        let database = ["--database": "sqlite:\(folder)/demo.db"]
        return try serve(flags.merging(database) { $1 }, isDevelopment: true, environment: environment)
    }

    /// What the demo sells: a plan, something that stays, and something that is used up.
    private func writeCatalog(into folder: String) throws(CommandFailure) -> String {
        let path = "\(folder)/catalog.json"
        let text = Assets.demo["catalog.json"] ?? []
        do { try SmallFile.replace(path, contents: text) } catch {
            throw CommandFailure("cannot write \(path): \(String(cString: strerror(error.number)))")
        }
        return path
    }
}

private func createTemporaryFolder() throws(CommandFailure) -> String {
    let parent = processEnvironment()["TMPDIR"] ?? "/tmp"
    var template = Array("\(parent)/paycast-demo-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw CommandFailure("cannot create a folder in \(parent): set TMPDIR") }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// The ledger's files lie side by side, so there are no subfolders.
private func removeFlatFolder(_ folder: String) {
    for suffix in ["", "-wal", "-shm", "-journal", "-lock"] { unlink("\(folder)/demo.db\(suffix)") }
    unlink("\(folder)/catalog.json")
    rmdir(folder)
}

private func serverFlags(_ arguments: inout Arguments, named names: [String]) throws(UsageError) -> [String: String] {
    var flags: [String: String] = [:]
    for name in names { flags[name] = try arguments.option(name) }
    return flags
}

/// A wrong setting is a usage error if a flag set it. All wrong settings are printed, one per line.
private func serve(
    _ flags: [String: String],
    isDevelopment: Bool,
    environment: [String: String] = processEnvironment()
) throws -> Int32 {
    Signals.block()
    let configuration: Configuration
    do throws(ConfigurationError) {
        configuration = try Configuration(
            flags: flags,
            isDevelopment: isDevelopment,
            environment: environment
        )
    } catch {
        for line in "\(error)".split(separator: "\n") { printError(String(line)) }
        return error.isAboutFlags ? EX_USAGE : EXIT_FAILURE
    }
    guard try Server(configuration).run() else { return EXIT_SUCCESS }
    // The same program with the same arguments, in the same process: a service manager notices nothing.
    execv("/proc/self/exe", CommandLine.unsafeArgv)
    throw CommandFailure("the program cannot be started again: \(String(cString: strerror(errno)))")
}
