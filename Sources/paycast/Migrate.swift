internal import Commands
internal import Ledger
internal import Server

/// Brings a ledger's tables up to date.
struct Migrate: Command {
    static let name = "migrate"

    private let database: DatabaseURL

    init(_ arguments: inout Arguments) throws(UsageError) {
        database = try DatabaseURL(&arguments)
    }

    func run() throws(CommandFailure) -> Int32 {
        do throws(LedgerError) {
            try LedgerMigration.run(database)
            printText("the ledger is up to date")
            return 0
        } catch {
            throw CommandFailure("\(error)")
        }
    }
}
