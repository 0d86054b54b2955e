import Commands
import Ledger
import Server

/// Brings a ledger's tables up to date.
struct Migrate: Command {
    static let name = "migrate"
    static let summary = "bring a ledger's tables up to date, before the server runs"
    static let help = """
        Bring a ledger's tables up to date, or create the ledger.

        Usage: paycast migrate [OPTIONS]

        “serve” does the same when it starts. If your platform has a release step, run
        it there: “release: paycast migrate” in a Procfile.

        Options:
          --database URL        DATABASE_URL, sqlite:paycast.db

        Example: paycast migrate --database postgres://db1/paycast
        """

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
