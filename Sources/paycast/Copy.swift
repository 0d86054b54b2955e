import Commands
import Ledger
import PostgresLedger
import Server
import Support

/// Moves a ledger to another place or engine.
struct Copy: Command {
    static let name = "copy"

    private let source: DatabaseURL
    private let target: DatabaseURL

    init(_ arguments: inout Arguments) throws(UsageError) {
        source = try Copy.url("--from", or: copySourceVariable, &arguments)
        target = try Copy.url("--to", or: copyTargetVariable, &arguments)
    }

    /// Every user of the machine sees the words of a command, and a URL may hold a password: `variable` keeps it from them.
    private static func url(
        _ option: String,
        or variable: String,
        _ arguments: inout Arguments
    ) throws(UsageError) -> DatabaseURL {
        let given = try arguments.option(option)
        guard let text = given ?? processEnvironment()[variable], !text.isEmpty else {
            throw UsageError("from where to where? paycast copy --from URL --to URL")
        }
        do throws(DatabaseURL.Failure) {
            return try DatabaseURL(text)
        } catch {
            throw UsageError("\(given == nil ? variable : option) \(error)")
        }
    }

    func run() throws -> Int32 {
        let start = ContinuousClock.now
        let result = try LedgerCopier.run(from: source, to: target) { line in printError(line) }
        if result.replaced > 0 {
            printError("\(result.replaced) texts held U+0000, which PostgreSQL cannot store: they have U+FFFD instead")
        }
        let seconds = (ContinuousClock.now - start).components.seconds
        printText(
            "copied and compared \(result.rows) rows (\(result.events) events) in \(seconds) s, up to \(result.head):"
                + " set DATABASE_URL to the URL of --to, and start the server"
        )
        return 0
    }
}

/// Brings a ledger's tables up to date.
struct Migrate: Command {
    static let name = "migrate"

    private let database: DatabaseURL

    init(_ arguments: inout Arguments) throws(UsageError) {
        database = try DatabaseURL(&arguments)
    }

    func run() throws -> Int32 {
        try database.migrate()
        printText("the ledger is up to date")
        return 0
    }
}
