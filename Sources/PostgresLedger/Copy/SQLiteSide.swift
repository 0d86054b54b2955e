internal import Domain
internal import Glibc
internal import Ledger

/// A ledger in a file, which stays locked against servers while this object exists.
final class SQLiteSide: CopySide {
    let name: String
    let takesZeroBytes = true
    private let connection: SQLiteConnection
    private let lock: LedgerLock
    private let owner: LedgerFileOwner?
    private var statements: [String: Statement] = [:]

    /// Creates no file but the lock's.
    static func source(_ path: String) throws(CopyError) -> SQLiteSide {
        guard size(of: path) > 0 else { throw .missing(path) }
        let lock = try locked(path)
        let side = SQLiteSide(try ledger(path), path: path, lock: lock, owner: nil)
        try refuseUnknown(side.connection, at: path)
        guard try !side.isUnfinishedCopy() else { throw .unfinishedSource(path) }
        // The file's date shows whether anything was committed since, unless the commit is still in a journal.
        _ = try? side.connection.emptyJournal()
        return side
    }

    /// Creates a ledger that does not exist yet.
    static func target(_ path: String) throws(CopyError) -> SQLiteSide {
        let owner = LedgerFileOwner(ofLedgerAt: path)
        let lock = try locked(path)
        // Another program's file must not get our tables.
        if size(of: path) > 0 { try refuseUnknown(try ledger(path), at: path) }
        do throws(LedgerError) {
            let connection = try SQLiteEngine(path: path).openForCopy()
            return SQLiteSide(connection, path: path, lock: lock, owner: owner)
        } catch {
            throw .ledger(error)
        }
    }

    private init(_ connection: SQLiteConnection, path: String, lock: LedgerLock, owner: LedgerFileOwner?) {
        self.connection = connection
        self.lock = lock
        self.owner = owner
        name = path
    }

    private static func locked(_ path: String) throws(CopyError) -> LedgerLock {
        do throws(LedgerError) {
            return try LedgerLock(path: path)
        } catch {
            if case .inUse(let path, let holder) = error { throw .served(path, by: "\(holder)") }
            throw .ledger(error)
        }
    }

    /// 0 if it is not a file.
    private static func size(of path: String) -> Int {
        var information = stat()
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return 0 }
        return Int(information.st_size)
    }

    private static func ledger(_ path: String) throws(CopyError) -> SQLiteConnection {
        let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('meta', 'entries')"
        let connection: SQLiteConnection
        let known: Int64?
        do throws(EngineError) {
            connection = try SQLiteConnection(path: path, access: .readWrite, lockTimeout: .seconds(2))
            known = try connection.prepare(sql).first { row in row.integer(0) }
        } catch {
            throw error.isDamage ? .notALedger(path) : CopyError(error, at: path)
        }
        guard known == 2 else { throw .notALedger(path) }
        return connection
    }

    private static func refuseUnknown(_ connection: SQLiteConnection, at path: String) throws(CopyError) {
        let refusal = try at(path) { () throws(EngineError) in
            try SQLiteSchema.refusal(connection, forCopy: true)
        }
        if let refusal { throw .refused(path, refusal) }
    }

    func isFile(_ path: String) -> Bool {
        var own = stat()
        var other = stat()
        guard stat(name, &own) == 0, stat(path, &other) == 0 else { return false }
        return own.st_ino == other.st_ino && own.st_dev == other.st_dev
    }

    /// The tables exist as soon as the ledger is open.
    func createTables() throws(CopyError) {}

    func isUnfinishedCopy() throws(CopyError) -> Bool {
        try reading { () throws(EngineError) in try SQLiteSchema.isUnfinishedCopy(connection) }
    }

    /// Taking the lock has shown that no server runs, and none can start while it is held.
    func refuseServers(report: (String) -> Void) throws(CopyError) {}

    func rows(_ sql: String, _ values: [Value], as kinds: [LedgerTable.Kind]) throws(EngineError) -> [[Value]] {
        try statement(sql).all(values) { row in
            var cells: [Value] = []
            cells.reserveCapacity(kinds.count)
            for (column, kind) in zip(Int32(0)..., kinds) { cells.append(SQLiteSide.cell(row, column, kind)) }
            return cells
        }
    }

    private static func cell(_ row: Row, _ column: Int32, _ kind: LedgerTable.Kind) -> Value {
        guard !row.isNull(column) else { return .null }
        switch kind {
        case .integer: return .integer(row.integer(column))
        case .bytes: return .bytes(row.bytes(column))
        case .text:
            let bytes = row.bytes(column)
            return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .bytes(bytes)
        }
    }

    func run(_ sql: String, _ values: [Value]) throws(EngineError) { try statement(sql).run(values) }

    private func statement(_ sql: String) throws(EngineError) -> Statement {
        if let statement = statements[sql] { return statement }
        let statement = try connection.prepare(sql)
        statements[sql] = statement
        return statement
    }

    func beginReading() throws(EngineError) { _ = try connection.beginReading() }

    func reading<Result>(_ body: () throws(EngineError) -> Result) throws(CopyError) -> Result {
        try at(name, body)
    }

    func begin() throws(EngineError) { try connection.begin() }

    func commit() throws(EngineError) { try connection.commit(head: 0, entriesAt: nil) }

    func rollback() { try? connection.rollback() }

    func flushJournal() {
        _ = try? connection.emptyJournal()
        for suffix in ["", "-wal", "-shm", "-lock"] { owner?.take(name + suffix) }
    }

    func serverConnection() throws(CopyError) -> any LedgerConnection {
        try at(name) { () throws(EngineError) in
            try SQLiteConnection(path: name, access: .readOnly, lockTimeout: .seconds(2))
        }
    }
}
