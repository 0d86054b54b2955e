import Commands
import Glibc
import Server
import Support

/// Runs the server until SIGTERM or SIGINT.
struct Serve: Command {
    static let name = "serve"
    static let summary = "run the server"
    static let help = """
        Run the server until SIGTERM or SIGINT.

        Usage: paycast serve [OPTIONS]

        Prints “paycast listening on http://HOST:PORT” on stdout when it accepts
        connections, https with a certificate; everything else goes to stderr.

        SIGHUP reloads what comes from files: secrets (PAYCAST_API_KEY_FILE and so
        on), keys, the catalog, the certificate and the templates.

        Options (with their variable and default):
          --port PORT           PORT, 8080; 0 is any free port
          --bind ADDRESS        PAYCAST_BIND, 127.0.0.1
          --database URL        DATABASE_URL, sqlite:paycast.db
          --public FOLDER       PAYCAST_PUBLIC, public; pages and templates
          --loops NUMBER        PAYCAST_LOOPS, number of cores; 1 to 64
          --tls-cert FILE       PAYCAST_TLS_CERT; PEM, the whole chain: serve HTTPS
          --tls-key FILE        PAYCAST_TLS_KEY; PEM
          --dev                 create .paycast/ with a throw-away certificate authority
                                and keys, trust it, and serve the demo page
          --log-format FORMAT   PAYCAST_LOG_FORMAT, text; or json
          --log-level LEVEL     PAYCAST_LOG_LEVEL, info; debug, warning or error
        """

    private let flags: [String: String]
    private let isDevelopment: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        flags = try serverFlags(&arguments, of: Serve.self)
        isDevelopment = try arguments.flag("--dev")
    }

    func run() throws -> Int32 {
        try serve(flags, isDevelopment: isDevelopment)
    }
}

/// The settings that the options of the command's help give.
func serverFlags(_ arguments: inout Arguments, of command: any Command.Type) throws(UsageError) -> [String: String] {
    var flags: [String: String] = [:]
    for option in command.options where option.takesValue { flags[option.name] = try arguments.option(option.name) }
    return flags
}

/// A wrong setting is a usage error if a flag set it. All wrong settings are printed, one per line. The exit codes are those of
/// sysexits.h: a service manager need not try again after 64 and 78.
func serve(
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
        return error.isAboutFlags ? EX_USAGE : EX_CONFIG
    }
    configuration.sockets.hide()
    do throws(StartError) {
        guard try Server(configuration).run() else { return EXIT_SUCCESS }
    } catch {
        printError("paycast: \(error)")
        return error.isAboutSettings ? EX_CONFIG : EXIT_FAILURE
    }
    configuration.sockets.passOn(environment)
    // The same program with the same arguments, in the same process: a service manager notices nothing.
    execv("/proc/self/exe", CommandLine.unsafeArgv)
    throw CommandFailure("the program cannot be started again: \(String(cString: strerror(errno)))")
}
