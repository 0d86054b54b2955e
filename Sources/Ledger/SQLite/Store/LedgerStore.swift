public import Domain
public import LedgerInterface
internal import Rules

/// The writer's side of SQLite: it loads what a command's decision needs, and writes what the decision returns. It never
/// leaves the writer's thread.
///
/// Another engine has to do what its extensions do, and no more: load a list of `Need` (`+Loading`), write `Changes`
/// (`+Writing`), run transactions, and keep what no rule looks at (jobs, checkpoints, keys of broadcasts).
public struct LedgerStore: ~Copyable {
    let connection: SQLiteConnection
    let statements: WriterStatements
    public let epoch: String
    public let place: LedgerFileIdentity
    private(set) var policy: AccessPolicy
    let streams: StreamPattern
    /// What this transaction knows.
    var known = WorkingSet(head: 0)
    /// The rows of the contracts in `known`.
    var rows: [ContractKey: Int64] = [:]

    public init(path: String, policy: AccessPolicy, streams: StreamPattern, lockTimeout: Duration) throws(LedgerError) {
        let connection = try LedgerStore.open(path, lockTimeout: lockTimeout)
        try Schema.migrate(connection)
        (statements, epoch) = try LedgerStore.prepare(connection, path: path)
        self.connection = connection
        place = LedgerFileIdentity(path)
        self.policy = policy
        self.streams = streams
    }

    /// Commits from now on follow this policy.
    public mutating func adopt(_ policy: AccessPolicy) {
        self.policy = policy
    }

    private static func open(_ path: String, lockTimeout: Duration) throws(LedgerError) -> SQLiteConnection {
        LedgerFile.create(path)
        do throws(SQLiteError) {
            let connection = try SQLiteConnection(path: path, access: .readWrite, lockTimeout: lockTimeout)
            // FULL: a 200 must survive a loss of power. OFF: bodies are no secret to this disk, so deleted pages may
            // stay. 8192: the body of a notification fits into one page. 16000: see Checkpointer. MEMORY: otherwise
            // what a savepoint may have to undo is written to a file, which takes a third of a commit's time.
            try connection.execute(
                """
                PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
                PRAGMA secure_delete = OFF; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768;
                PRAGMA wal_autocheckpoint = 16000;
                """
            )
            return connection
        } catch {
            throw error.isBusy ? .busy : .cannotOpen(path: path, reason: error.message)
        }
    }

    private static func prepare(
        _ connection: borrowing SQLiteConnection,
        path: String
    ) throws(LedgerError) -> (WriterStatements, String) {
        do throws(SQLiteError) {
            let statements = try WriterStatements(connection)
            return (statements, try statements.epoch.first { row in row.text(0) } ?? "")
        } catch {
            throw .cannotOpen(path: path, reason: error.description)
        }
    }
}

extension LedgerStore {
    func cursor(_ position: Int64) -> Cursor { Cursor(epoch: epoch, position: position) }

    /// Lets `decision` decide until everything that it needs is loaded, then writes what it decided. A trial knows
    /// afterwards what was changed, and writes nothing.
    mutating func decide<Value>(
        at now: Instant,
        isTrial: Bool = false,
        by decision: (inout UnitOfWork) throws(Missing) -> Value
    ) throws(SQLiteError) -> Commit<Value> {
        while true {
            switch attempt(decision, at: now) {
            case .failure(var missing):
                repeat {
                    for need in missing.needs { try load(need) }
                } while missing.advance(in: known)
            case .success(let made):
                if !isTrial { try write(made.changes, at: now) }
                known.adopt(made.draft)
                return Commit(made.value, changes: made.changes)
            }
        }
    }

    private struct Decision<Value> {
        var value: Value
        var changes: Changes
        var draft: WorkingSet
    }

    /// A function of its own, so that the unit of work has let go of what is known before that changes: it would be
    /// copied.
    private func attempt<Value>(
        _ decision: (inout UnitOfWork) throws(Missing) -> Value,
        at now: Instant
    ) -> Result<Decision<Value>, Missing> {
        var unit = UnitOfWork(known, policy: policy, streams: streams, epoch: epoch, now: now)
        do throws(Missing) {
            let value = try decision(&unit)
            let (changes, draft) = unit.finish()
            return .success(Decision(value: value, changes: changes, draft: draft))
        } catch {
            return .failure(error)
        }
    }
}
