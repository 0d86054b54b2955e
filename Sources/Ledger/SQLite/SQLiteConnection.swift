import CSQLite
public import Domain
import Glibc

/// One connection, used by one thread: opened without SQLite's own mutexes
/// (https://www.sqlite.org/threadsafe.html, multi-thread mode).
public final class SQLiteConnection: LedgerConnection {
    public enum Access {
        case readWrite, readOnly
        /// For a file that nobody writes meanwhile: no file is created beside it, and no lock is taken.
        case frozen
        /// For a file that another program writes: the index of its journal is read and not written, so that a reader needs
        /// no right to write. There must be an index: beside a file without one, SQLite creates an empty journal.
        case besideAnotherWriter
    }

    private let handle: OpaquePointer
    /// The files of the writer's connection, which has to notice when they lose their names.
    var place: LedgerFileIdentity?
    private lazy var transactions = Result { () throws(EngineError) in try TransactionStatements(self) }

    /// `lockTimeout` is how long a statement waits for another process's lock.
    public init(path: String, access: Access, lockTimeout: Duration) throws(EngineError) {
        _ = countsNoMemory
        let mode = access == .readWrite ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
        let parameter = SQLiteConnection.parameter(of: access)
        let form = parameter == nil ? 0 : SQLITE_OPEN_URI
        let name = parameter.map { SQLiteConnection.uri(of: path, parameter: $0) } ?? path
        var handle: OpaquePointer?
        let status = sqlite3_open_v2(name, &handle, mode | form | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard status == SQLITE_OK, let handle else {
            let error = EngineError(of: handle, sql: "")
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, Int32(clamping: lockTimeout.milliseconds))
    }

    deinit {
        // v2: statements that outlive the connection keep it open until they are finalized.
        sqlite3_close_v2(handle)
    }

    /// https://www.sqlite.org/uri.html; `readonly_shm` is in https://www.sqlite.org/src/file/src/os_unix.c.
    private static func parameter(of access: Access) -> String? {
        switch access {
        case .readWrite, .readOnly: nil
        case .frozen: "immutable=1"
        case .besideAnotherWriter: "readonly_shm=1"
        }
    }

    private static func uri(of path: String, parameter: String) -> String {
        let escapes: [Character: String] = ["%": "%25", "?": "%3f", "#": "%23"]
        // An empty host: two slashes at the beginning of the path would name one.
        let path = path.hasPrefix("/") ? "//" + path : path
        return "file:" + path.map { escapes[$0] ?? String($0) }.joined() + "?\(parameter)"
    }

    /// Runs statements without parameters or results.
    public func execute(_ sql: String) throws(EngineError) {
        guard sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else { throw EngineError(of: handle, sql: sql) }
    }

    public func prepare(_ sql: String) throws(EngineError) -> Statement {
        Statement(try SQLiteStatement(sql, on: handle))
    }

    /// False after a failure that made SQLite roll back the whole transaction
    /// (https://www.sqlite.org/lang_transaction.html, "Response To Errors Within A Transaction").
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Valid while the connection is open.
    var interrupter: Interrupter { Interrupter(handle: handle) }

    /// Pages that this connection has written since the last call.
    func takePagesWritten() -> Int {
        var current: Int32 = 0
        var highest: Int32 = 0
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_WRITE, &current, &highest, 1)
        return Int(current)
    }

    /// All statements that are prepared at the moment: a test asks for their query plans.
    var preparedTexts: [String] {
        var texts: [String] = []
        var statement = sqlite3_next_stmt(handle, nil)
        while let current = statement {
            texts.append(String(cString: sqlite3_sql(current)))
            statement = sqlite3_next_stmt(handle, current)
        }
        return texts
    }
}

extension SQLiteConnection {
    public func begin() throws(EngineError) { try transactions.get().begin.run() }

    public func head() throws(EngineError) -> Int64 {
        try transactions.get().head.first { row in row.integer() } ?? 0
    }

    public func commit(head: Int64, entriesAt instant: Instant?) throws(EngineError) {
        try transactions.get().commit.run()
    }

    public func rollback() throws(EngineError) {
        if isInTransaction { try transactions.get().rollback.run() }
    }

    /// The first read fixes the snapshot, so the position and what is read after it belong to the same moment.
    func beginReading() throws(EngineError) -> Int64 {
        try transactions.get().beginReading.run()
        return try head()
    }

    func endReading() throws(EngineError) {
        if isInTransaction { try transactions.get().commit.run() }
    }

    func epoch() throws(EngineError) -> String {
        try prepare("SELECT value FROM meta WHERE key = 'epoch'").first { row in row.text() } ?? ""
    }

    private struct TransactionStatements {
        let begin, commit, rollback, beginReading, head: Statement

        init(_ connection: SQLiteConnection) throws(EngineError) {
            begin = try connection.prepare("BEGIN IMMEDIATE")
            commit = try connection.prepare("COMMIT")
            rollback = try connection.prepare("ROLLBACK")
            beginReading = try connection.prepare("BEGIN")
            head = try connection.prepare("SELECT max(position) FROM entries")
        }
    }
}

/// The journal, and a copy of everything.
extension SQLiteConnection {
    var problem: String? { place?.problem }

    /// Saves what the open files hold; they hold everything until this process ends. A journal that has lost its name
    /// is copied into its ledger, and a ledger that has lost its name into a new file.
    ///
    /// Nil if everything is in the ledger's own file.
    func rescue() throws(EngineError) -> Rescue? {
        guard let place, let path = place.path else { return nil }
        guard !place.hasLedger else { return try rescueJournal() }
        let file = path + ".rescued"
        try copy(to: file)
        return .copied(file: file)
    }

    enum Rescue {
        case copied(file: String)
        case failed(reason: String)
    }

    /// The checkpointer may be at work at this moment, which ends within milliseconds.
    private func rescueJournal() throws(EngineError) -> Rescue? {
        for _ in 0..<200 {
            if try copyJournal() { return nil }
            usleep(10_000)
        }
        return .failed(reason: "something holds its journal")
    }

    /// Copies the journal into the ledger's file. Returns false when not everything was copied, because another
    /// checkpoint runs: SQLite says that in the row, and calls it no error
    /// (https://www.sqlite.org/pragma.html#pragma_wal_checkpoint).
    func copyJournal() throws(EngineError) -> Bool {
        let rows = try prepare("PRAGMA wal_checkpoint(FULL)").first { row in
            (isBusy: row.integer() != 0, pages: row.integer(), copied: row.integer())
        }
        return rows.map { !$0.isBusy && $0.pages == $0.copied } ?? false
    }

    /// Saves the next start from reading a journal, unless a reader still holds it.
    func finish() { try? execute("PRAGMA wal_checkpoint(TRUNCATE)") }

    /// FAST costs no writing of its own: it overwrites what was in pages that are written anyway.
    func setOverwriting(_ isOn: Bool) throws(EngineError) {
        try execute("PRAGMA secure_delete = \(isOn ? "ON" : "FAST")")
    }

    /// When pages are balanced, cells are copied, and `secure_delete` does not overwrite what stays behind: of 30,000
    /// changed rows, 2 were still there with ON, and 34 with FAST. Only a new copy has none. It takes a second for 64 MB,
    /// in which nothing is committed.
    func overwriteFreeSpace() throws(EngineError) -> Bool {
        let size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"
        guard try prepare(size).first(read: { row in row.integer() }) ?? .max <= 64 << 20 else { return false }
        try execute("VACUUM")
        return true
    }

    /// Copies the journal into the ledger's file before it empties it. A reader, a backup or another checkpoint may hold
    /// it; then this does not wait, because a backup reads for minutes.
    func emptyJournal() throws(EngineError) -> Bool {
        let patience = try prepare("PRAGMA busy_timeout").first { row in row.integer() } ?? 0
        try execute("PRAGMA busy_timeout = 0")
        defer { try? execute("PRAGMA busy_timeout = \(patience)") }
        return try prepare("PRAGMA wal_checkpoint(TRUNCATE)").first { row in row.integer() == 0 } ?? false
    }

    /// Copies the whole ledger into a file that does not exist yet, or is empty.
    func copy(to file: String) throws(EngineError) {
        LedgerFile.create(file)
        try prepare("VACUUM INTO ?").run([.text(file)])
    }
}

/// Ends the running statement of a connection, from another thread (https://www.sqlite.org/c3ref/interrupt.html).
///
/// `@unchecked Sendable`: SQLite lets any thread call it, and its holder promises to drop it before the connection is
/// closed.
struct Interrupter: @unchecked Sendable {
    fileprivate let handle: OpaquePointer

    func interrupt() { sqlite3_interrupt(handle) }
}

/// The version of SQLite that is loaded.
public let sqliteVersion = String(cString: sqlite3_libversion())

/// Otherwise each allocation takes a lock that all connections share, for a sum that nobody asks for. Before the first
/// connection, and once for the process.
private let countsNoMemory = paycast_sqlite_count_memory(0) == SQLITE_OK
