public import Domain

/// A ledger in one file, which one process writes.
public struct SQLiteEngine: LedgerEngine {
    public let path: String
    /// How long a batch waits for another process that holds the file's lock.
    private let lockTimeout: Duration

    public init(path: String, lockTimeout: Duration = .seconds(2)) {
        self.path = path
        self.lockTimeout = lockTimeout
    }

    public func openRepository(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerRepository {
        let connection = try opened(forCopy: false)
        return try reachable { () throws(EngineError) in
            connection.place = LedgerFileIdentity(path)
            return try LedgerRepository(connection, epoch: try connection.epoch(), policy: policy, streams: streams)
        }
    }

    /// Creates the ledger that another one is copied into, or opens what there is of it.
    func openForCopy() throws(LedgerError) -> SQLiteConnection { try opened(forCopy: true) }

    private func opened(forCopy: Bool) throws(LedgerError) -> SQLiteConnection {
        LedgerFile.create(path)
        let connection = try reachable { () throws(EngineError) in
            let connection = try SQLiteConnection(path: path, access: .readWrite, lockTimeout: lockTimeout)
            try connection.execute(SQLiteEngine.settings)
            return connection
        }
        try SQLiteSchema.migrate(connection, forCopy: forCopy)
        return connection
    }

    public func openQueries(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerQueries {
        try reachable { () throws(EngineError) in
            let connection = try SQLiteConnection(path: path, access: .readOnly, lockTimeout: .seconds(2))
            return try LedgerQueries(connection, epoch: try connection.epoch(), policy: policy, streams: streams)
        }
    }

    /// FULL: a 200 must survive a loss of power. FAST: deleted rows are overwritten where that costs no writing. 1024:
    /// a commit changes six leaves of indexes for each event, each for one small row, and writes each leaf twice; SQLite's
    /// 4096 would write twice as much. 64000: see Checkpointer. MEMORY: otherwise what a savepoint may have to undo is written to a file, which takes a
    /// third of a commit's time.
    private static let settings = """
        PRAGMA page_size = 1024; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
        PRAGMA secure_delete = FAST; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -32768;
        PRAGMA wal_autocheckpoint = 64000;
        """

    private func reachable<Opened>(_ open: () throws(EngineError) -> Opened) throws(LedgerError) -> Opened {
        do throws(EngineError) {
            return try open()
        } catch {
            let reason = LedgerFile.foreignOwner(of: path) ?? error.message
            throw error.isBusy ? .busy : .cannotOpen(path: path, reason: reason)
        }
    }
}
