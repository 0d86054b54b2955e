import Domain
import Glibc
import Support
import TestSupport
import Testing

@testable import Ledger

@Suite(.blocking) struct SchemaTests {
    @Test func newerSchemaIsRefused() throws {
        let ledger = try TemporaryLedger(kind: .file)
        ledger.close()
        let connection = try SQLiteConnection(path: ledger.path, access: .readWrite, lockTimeout: .zero)
        try connection.execute("PRAGMA user_version = 99")
        #expect(throws: LedgerError.newerSchema(found: 99, supported: SQLiteSchema.newest)) {
            try TemporaryLedger(at: ledger.path, kind: .file)
        }
        ledger.remove()
    }

    @Test func migrationRunsOnce() throws {
        let ledger = try TemporaryLedger(kind: .file)
        ledger.close()
        let connection = try SQLiteConnection(path: ledger.path, access: .readWrite, lockTimeout: .zero)
        try SQLiteSchema.migrate(connection)
        let isOpen = connection.isInTransaction
        #expect(!isOpen)
        let version = try connection.prepare("PRAGMA user_version").first { row in row.integer(0) }
        #expect(version == SQLiteSchema.newest)
        ledger.remove()
    }

    /// What the second version writes, a program of the first cannot read: it refuses the ledger, which keeps all that it had.
    @Test func theFirstVersionIsBroughtUpToDate() throws {
        let path = TemporaryLedger.newPath()
        let old = try SQLiteConnection(path: path, access: .readWrite, lockTimeout: .zero)
        try old.execute(
            """
            \(SQLiteSchema.migrations[0])
            INSERT INTO meta VALUES ('epoch', 'abcdefgh'), ('unclaimed', '0'), ('erasure_key', '\(ErasureKey.random())');
            PRAGMA application_id = \(SQLiteSchema.application); PRAGMA user_version = 1
            """
        )
        try SQLiteSchema.migrate(old)
        let version = try old.prepare("PRAGMA user_version").first { row in row.integer(0) }
        #expect(version == SQLiteSchema.newest && SQLiteSchema.newest > 1)
        let epoch = try old.prepare("SELECT value FROM meta WHERE key = 'epoch'").first { row in row.text(0) }
        #expect(epoch == "abcdefgh")
        let tables = "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
        let new = try SQLiteConnection(path: ":memory:", access: .readWrite, lockTimeout: .zero)
        try SQLiteSchema.migrate(new)
        let found = try [old, new].map { try $0.prepare(tables).all { row in row.text(0) + row.text(1) } }
        #expect(found[0] == found[1])
        for suffix in ["", "-wal", "-shm", "-lock"] { unlink(path + suffix) }
    }

    /// What a commit from before version 1 made has no application id, or an older one, whatever its number.
    @Test(arguments: [1, 2, 11], [0, 0x5063_7374, 0x5063_7375])
    func ledgersFromBeforeTheFirstReleaseAreRefused(version: Int64, application: Int64) throws {
        let path = TemporaryLedger.newPath()
        let old = try SQLiteConnection(path: path, access: .readWrite, lockTimeout: .zero)
        try old.execute(
            """
            CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL); INSERT INTO meta VALUES ('epoch', 'abcdefgh');
            CREATE TABLE entries (position INTEGER PRIMARY KEY); PRAGMA user_version = \(version); PRAGMA application_id = \(application)
            """
        )
        #expect(throws: LedgerError.unreleasedSchema) { try TemporaryLedger(at: path, kind: .file) }
        #expect(LedgerInspection(path: path).state == .refused(.unreleasedSchema))
        #expect(throws: CopyError("\(LedgerError.unreleasedSchema)")) {
            try LedgerBackup.backup(of: path, to: path + ".backup")
        }
        let tables = try old.prepare("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").first { $0.integer(0) }
        #expect(tables == 2)
        for suffix in ["", "-wal", "-shm", "-lock"] { unlink(path + suffix) }
    }

    @Test func folderThatDoesNotExistIsNamed() {
        #expect(throws: LedgerError.self) { try TemporaryLedger(at: "/nowhere/ledger.db", kind: .file) }
    }
}
