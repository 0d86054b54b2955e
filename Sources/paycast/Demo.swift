import Commands
import Crypto
import Glibc
import Support

/// Runs `serve --dev` on a ledger that is thrown away at the end.
struct Demo: Command {
    static let name = "demo"
    static let summary = "run a development server on a throw-away ledger"
    static let help = """
        Run “serve --dev” on a ledger in a temporary folder, removed at the end.

        Usage: paycast demo [OPTIONS]

        Options are those of serve, without --database and --dev:
          --port PORT           PORT, 8080; 0 is any free port
          --bind ADDRESS        PAYCAST_BIND, 127.0.0.1
          --public FOLDER       PAYCAST_PUBLIC, public; pages and templates
          --loops NUMBER        PAYCAST_LOOPS, number of cores; 1 to 64
          --log-format FORMAT   PAYCAST_LOG_FORMAT, text; or json
          --log-level LEVEL     PAYCAST_LOG_LEVEL, info; debug, warning or error
        """

    private let flags: [String: String]

    init(_ arguments: inout Arguments) throws(UsageError) {
        flags = try serverFlags(&arguments, of: Demo.self)
    }

    func run() throws -> Int32 {
        var environment = processEnvironment()
        let folder: String
        do throws(CommandFailure) { folder = try createTemporaryFolder() } catch {
            printError("paycast: \(error)")
            return EX_CONFIG
        }
        defer { removeFlatFolder(folder) }
        let (place, prefix) = isContainer(environment) ? ("", "docker exec CONTAINER ") : (" in this folder", "")
        printError("Open the address below, then pay from another terminal\(place):")
        printError("  \(prefix)paycast trigger apple SUBSCRIBED/INITIAL_BUY --user demo")
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
    guard mkdtemp(&template) != nil else {
        let reason = String(cString: strerror(errno))
        let todo = "let user \(geteuid()) write there, or set TMPDIR"
        throw CommandFailure("cannot create a folder in \(parent): \(reason): \(todo)")
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// The ledger's files lie side by side, so there are no subfolders.
private func removeFlatFolder(_ folder: String) {
    for suffix in ["", "-wal", "-shm", "-journal", "-lock"] { unlink("\(folder)/demo.db\(suffix)") }
    unlink("\(folder)/catalog.json")
    rmdir(folder)
}
