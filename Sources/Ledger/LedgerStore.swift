internal import Domain

/// The writer's connection and what every command needs of it. It never leaves the writer's thread.
struct LedgerStore: ~Copyable {
    let connection: SQLiteConnection
    let statements: WriterStatements
    let epoch: String
    let place: LedgerFileIdentity
    private let slot: PolicySlot
    let streams: StreamPattern

    init(path: String, policy: AccessPolicy, streams: StreamPattern, lockTimeout: Duration) throws(LedgerError) {
        let connection = try LedgerStore.open(path, lockTimeout)
        try Schema.migrate(connection)
        (statements, epoch) = try LedgerStore.prepare(connection, path)
        self.connection = connection
        place = LedgerFileIdentity(path)
        slot = PolicySlot(policy)
        self.streams = streams
    }

    var policy: AccessPolicy { slot.policy }

    /// Commits from now on follow this policy.
    func adopt(_ policy: AccessPolicy) {
        slot.policy = policy
    }

    private static func open(_ path: String, _ lockTimeout: Duration) throws(LedgerError) -> SQLiteConnection {
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
        _ path: String
    ) throws(LedgerError) -> (WriterStatements, String) {
        do throws(SQLiteError) {
            let statements = try WriterStatements(connection)
            return (statements, try statements.epoch.first { row in row.text(0) } ?? "")
        } catch {
            throw .cannotOpen(path: path, reason: error.description)
        }
    }

    func cursor(_ position: Int64) -> Cursor { Cursor(epoch: epoch, position: position) }

    /// The newest position.
    func head() throws(SQLiteError) -> Int64 {
        try statements.head.first { row in row.integer(0) } ?? 0
    }

    func append(_ notice: Notice, _ fragments: [Fragment], at now: Instant) throws(SQLiteError) -> Entry {
        try statements.insertEntry.run(EntryRow.values(notice, at: now))
        let position = connection.lastInsertedRow
        for (ordinal, fragment) in fragments.enumerated() {
            try statements.insertFragment.run(FragmentRow.values(fragment, at: position, ordinal: ordinal))
        }
        return Entry(position: position, committedAt: now, notice: notice, fragments: try written(fragments))
    }

    func broadcast(_ fragments: [Fragment], now: Instant) throws(SQLiteError) -> Commit<[Cursor]> {
        var commit = Commit<[Cursor]>(value: [])
        for fragment in fragments {
            commit.entries.append(try append(Notice(kind: .broadcast), [fragment], at: now))
        }
        commit.value = commit.entries.map { cursor($0.position) }
        return commit
    }

    /// Its position is also kept in `meta`, because each page that connects asks whether it has seen it.
    func recordLostBroadcasts(now: Instant) throws(SQLiteError) -> Commit<Cursor> {
        let entry = try append(Notice(kind: .broadcastsLost), [], at: now)
        try statements.setLost.run([.text("\(entry.position)")])
        var commit = Commit(value: cursor(entry.position))
        commit.entries = [entry]
        return commit
    }
}
