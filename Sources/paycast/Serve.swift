internal import Commands
internal import Glibc
internal import Server
internal import Support

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

    func run() throws(CommandFailure) -> Int32 {
        try serve(flags, isDevelopment: isDevelopment)
    }
}

func serverFlags(_ arguments: inout Arguments, named names: [String]) throws(UsageError) -> [String: String] {
    var flags: [String: String] = [:]
    for name in names { flags[name] = try arguments.option(name) }
    return flags
}

/// A wrong setting is a usage error if a flag set it. All wrong settings are printed, one per line.
func serve(_ flags: [String: String], isDevelopment: Bool) throws(CommandFailure) -> Int32 {
    Signals.block()
    let source = ConfigurationSource(
        flags: flags,
        isDevelopment: isDevelopment,
        environment: processEnvironment()
    )
    let configuration: Configuration
    do throws(ConfigurationError) {
        configuration = try source.read()
    } catch {
        for line in "\(error)".split(separator: "\n") { printError(String(line)) }
        return error.isAboutFlags ? EX_USAGE : EXIT_FAILURE
    }
    try run(configuration, from: source)
    return EXIT_SUCCESS
}

/// The only place that starts the server.
private func run(_ configuration: Configuration, from source: ConfigurationSource) throws(CommandFailure) {
    do throws(StartError) {
        guard try Server(configuration, from: source).run() else { return }
    } catch {
        throw CommandFailure("\(error)")
    }
    // The same program with the same arguments, in the same process: a service manager notices nothing.
    execv("/proc/self/exe", CommandLine.unsafeArgv)
    throw CommandFailure("the program cannot be started again: \(String(cString: strerror(errno)))")
}
