import Commands
import Ledger
import Support

/// Moves a ledger to another place or engine.
struct Copy: Command {
    static let name = "copy"
    static let summary = "copy a ledger to another database or engine, and compare them"
    static let help = """
        Copy a ledger to another database or engine, and compare every row.

        Usage: paycast copy --from URL --to URL

        Stop every server first. Both URLs have DATABASE_URL's form: SQLite to
        PostgreSQL, back, or two databases of one engine. Cursors of pages stay valid.
        The source stays as it is. After an interruption, the same command starts over;
        until the copy is finished and has been compared with its source, no server
        starts on it. Then “paycast release” lets its server act outwards. Progress
        goes to stderr.

        Options:
          --from URL            the ledger to copy; PAYCAST_COPY_FROM
          --to URL              the target; it must have no ledger yet, or an empty one;
                                PAYCAST_COPY_TO

        Other users of the machine can see a command's arguments: put a URL with a
        password into the environment.

        Example: paycast copy --from sqlite:paycast.db --to postgres://db1/paycast
        """

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
                + " set DATABASE_URL to the URL of --to, start the server, and let it act outwards: paycast release"
        )
        return 0
    }
}
