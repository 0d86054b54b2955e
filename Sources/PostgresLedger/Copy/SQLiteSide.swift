import Domain
import Ledger

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
        guard LedgerBackup.isFile(path) else { throw .missing(path) }
        let lock = try locked(path)
        let connection = try ledger(path)
        guard try !at(path, { () throws(EngineError) in try SQLiteSchema.isUnfinishedCopy(connection) }) else {
            throw .unfinishedSource(path)
        }
        return SQLiteSide(connection, path: path, lock: lock, owner: nil)
    }

    /// Creates a ledger that does not exist yet.
    static func target(_ path: String) throws(CopyError) -> SQLiteSide {
        let owner = LedgerFileOwner(ofLedgerAt: path)
        let lock = try locked(path)
        // Another program's file must not get our tables.
        if LedgerBackup.isFile(path) { _ = try ledger(path) }
        let connection: SQLiteConnection
        do throws(LedgerError) {
            connection = try SQLiteEngine(path: path).openForCopy()
        } catch {
            throw .ledger(error)
        }
        // All rows come in one transaction: a write-ahead journal would hold each of them once more.
        try at(path) { () throws(EngineError) in try connection.execute("PRAGMA journal_mode = DELETE") }
        return SQLiteSide(connection, path: path, lock: lock, owner: owner)
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

    private static func ledger(_ path: String) throws(CopyError) -> SQLiteConnection {
        let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('meta', 'entries')"
        let connection: SQLiteConnection
        let (known, refusal): (Int64?, LedgerError?)
        do throws(EngineError) {
            connection = try SQLiteConnection(path: path, access: .readWrite, lockTimeout: .seconds(2))
            known = try connection.prepare(sql).first { row in row.integer(0) }
            refusal = try SQLiteSchema.refusal(connection, forCopy: true)
        } catch {
            throw error.isDamage ? .notALedger(path) : .engine(path, reason: error.advice)
        }
        guard known == 2 else { throw .notALedger(path) }
        if let refusal { throw .refused(path, refusal) }
        return connection
    }

    /// Taking the lock has shown that no server runs, and none can start while it is held.
    func refuseServers(report: (String) -> Void) {}
    func createTables() {}

    func beginReading() throws(EngineError) { _ = try connection.beginReading() }
    func begin(forOpening: Bool) throws(EngineError) { try connection.begin() }

    func commit() throws(EngineError) {
        try connection.commit(head: 0, entriesAt: nil)
        for suffix in ["", "-lock"] { owner?.take(name + suffix) }
    }

    func rollback() { try? connection.rollback() }

    func rows(_ sql: String, _ values: [Value], as kinds: [CopiedTable.Kind]) throws(EngineError) -> [[Value]] {
        try statement(sql).all(values) { row in
            zip(Int32(0)..., kinds).map { column, kind in SQLiteSide.value(row, column, kind) }
        }
    }

    private static func value(_ row: Row, _ column: Int32, _ kind: CopiedTable.Kind) -> Value {
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

    func head() throws(EngineError) -> Cursor {
        Cursor(
            epoch: try text("SELECT value FROM meta WHERE key = 'epoch'") ?? "",
            position: try number("SELECT max(position) FROM entries") ?? 0
        )
    }

    /// The lock keeps everybody else from committing.
    func stamp() -> String { "" }

    func lastJob() throws(EngineError) -> Int64 {
        try number("SELECT seq FROM sqlite_sequence WHERE name = 'jobs'") ?? 0
    }

    /// The position follows from the entries.
    func set(_ head: Cursor, lastJob: Int64) throws(EngineError) {
        try run("UPDATE meta SET value = ? WHERE key = 'epoch'", [.text(head.epoch)])
        try run("DELETE FROM sqlite_sequence WHERE name = 'jobs'", [])
        try run("INSERT INTO sqlite_sequence (name, seq) VALUES ('jobs', ?)", [.integer(lastJob)])
    }
}
