import Domain

/// A ledger in a file, which stays locked against servers while this object exists.
final class SQLiteSide: CopySide {
    let name: String
    let takesZeroBytes = true
    private let file: SQLiteConnection
    private let lock: LedgerLock
    private let owner: LedgerFileOwner?

    var connection: any LedgerConnection { file }

    /// Creates a target that does not exist yet, and otherwise no file but the lock's.
    init(_ path: String, isTarget: Bool) throws(CopyError) {
        name = path
        owner = isTarget ? LedgerFileOwner(ofLedgerAt: path) : nil
        let isThere = LedgerBackup.isFile(path)
        guard isTarget || isThere else { throw .missing(path) }
        lock = try SQLiteSide.opened { () throws(LedgerError) in try LedgerLock(path: path) }
        guard isTarget else {
            file = try SQLiteSide.ledger(path, isTarget: false)
            return
        }
        // Another program's file must not get our tables.
        if isThere { _ = try SQLiteSide.ledger(path, isTarget: true) }
        file = try SQLiteSide.opened { () throws(LedgerError) in try SQLiteEngine(path: path).openForCopy() }
        // All rows come in one transaction: a write-ahead journal would hold each of them once more.
        try trying { () throws(EngineError) in try file.execute("PRAGMA journal_mode = DELETE") }
    }

    private static func opened<Value>(_ body: () throws(LedgerError) -> Value) throws(CopyError) -> Value {
        do throws(LedgerError) {
            return try body()
        } catch {
            if case .inUse(let path, let holder) = error { throw .served(path, by: "\(holder)") }
            throw CopyError("\(error)")
        }
    }

    private static func ledger(_ path: String, isTarget: Bool) throws(CopyError) -> SQLiteConnection {
        let connection: SQLiteConnection
        let (isLedger, refusal): (Bool, LedgerError?)
        do throws(EngineError) {
            connection = try SQLiteConnection(path: path, access: .readWrite, lockTimeout: .seconds(2))
            isLedger = try SQLiteSchema.isLedger(connection)
            refusal = try SQLiteSchema.refusal(connection, forCopy: isTarget)
        } catch {
            throw error.isDamage ? .notALedger(path) : CopyError("\(path): \(error.advice)")
        }
        guard isLedger else { throw .notALedger(path) }
        if refusal == .unfinishedCopy { throw .unfinishedSource(path) }
        if let refusal { throw CopyError("\(path): \(refusal)") }
        return connection
    }

    /// Taking the lock has shown that no server runs, and none can start while it is held.
    func refuseServers(report: (String) -> Void) {}
    func createTables() {}

    func beginReading() throws(EngineError) { _ = try file.beginReading() }
    func begin(forOpening: Bool) throws(EngineError) { try file.begin() }

    func commit() throws(EngineError) {
        try file.commit(head: 0, entriesAt: nil)
        for suffix in ["", "-lock"] { owner?.take(name + suffix) }
    }

    func rollback() { try? file.rollback() }

    /// No stamp: the lock keeps everybody else from committing.
    static let stateQuery = """
        SELECT value, (SELECT max(position) FROM entries), (SELECT seq FROM sqlite_sequence WHERE name = 'jobs'), ''
        FROM meta WHERE key = 'epoch'
        """

    /// The position follows from the entries.
    func set(_ state: CopiedState) throws(EngineError) {
        try run("UPDATE meta SET value = ? WHERE key = 'epoch'", [.text(state.head.epoch)])
        try run("DELETE FROM sqlite_sequence WHERE name = 'jobs'")
        try run("INSERT INTO sqlite_sequence (name, seq) VALUES ('jobs', ?)", [.integer(state.lastJob)])
    }
}
