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
