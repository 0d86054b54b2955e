internal import Glibc
internal import Ledger

/// One step from a version of the tables to the next.
struct PostgresMigration: Sendable {
    /// Work that may take long, before the transaction that changes the tables. Not called for a ledger that is new.
    var prepare: (@Sendable (MigrationSteps) throws(EngineError) -> Void)?
    /// After this step, a program must know the tables as they were at this version or later; nil means this very step. Zero
    /// is for a step that leaves alone what older programs read and write: they may go on, and start.
    var admits: Int64?
    /// `size` is how many positions a partition has.
    var sql: @Sendable (_ size: Int64) -> String
}

/// A connection that migrates, with transactions of its own.
struct MigrationSteps {
    /// How long nobody lets go of a table until that is an error.
    private static let patience = Duration.seconds(600)

    let postgres: PostgresConnection
    let schema: String
    let size: Int64

    /// Runs it in a transaction, again and again while somebody holds a table: whoever comes behind waits only as long as
    /// `lock_timeout`.
    func run(_ sql: String) throws(EngineError) {
        try transaction { () throws(PostgresError) in try postgres.execute(sql) }
    }

    func ask(_ sql: String) throws(EngineError) -> Int64 {
        try transaction { () throws(PostgresError) in
            let found = try postgres.prepare(sql).first { row in row.integer(0) }
            return found ?? 0
        }
    }

    /// One node after the other: the lock ends with the transaction.
    func transaction<Value>(_ body: () throws(PostgresError) -> Value) throws(EngineError) -> Value {
        let deadline = ContinuousClock.now + MigrationSteps.patience
        while true {
            do throws(PostgresError) {
                try postgres.begin()
                try postgres.execute(
                    """
                    SET LOCAL search_path = \(schema), pg_temp; SET LOCAL lock_timeout = 0;
                    SELECT pg_advisory_xact_lock(\(PostgresSchema.openingLock));
                    SET LOCAL lock_timeout = '2s'
                    """
                )
                let value = try body()
                try postgres.commit()
                return value
            } catch {
                postgres.rollback()
                guard error.kind == .retry, ContinuousClock.now < deadline else { throw EngineError(error) }
                usleep(500_000)
            }
        }
    }
}
