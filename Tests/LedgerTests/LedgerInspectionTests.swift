import Domain
import Glibc
import TestSupport
import Testing

@testable import Ledger

/// Inspecting a ledger that no server uses, which must leave no trace.
@Suite(.blocking) struct LedgerInspectionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Shell commands that damage a ledger.
        var damage = ""
        var state: LedgerInspection.State
    }

    private static let rubbish = "head -c 4096 /dev/zero | tr '\\0' x"

    static let cases = [
        Case(testDescription: "as it was left", state: .whole),
        Case(testDescription: "deleted", damage: "rm a#b.db", state: .missing),
        Case(testDescription: "emptied", damage: ": > a#b.db", state: .empty),
        Case(testDescription: "cut off", damage: "truncate -s 12288 a#b.db", state: .damaged),
        Case(
            testDescription: "a page of something else",
            damage: "\(rubbish) | dd of=a#b.db bs=4096 seek=2 conv=notrunc status=none",
            state: .damaged
        ),
        Case(testDescription: "a text", damage: "echo paywall > a#b.db", state: .foreign),
        Case(testDescription: "a folder", damage: "rm a#b.db; mkdir a#b.db", state: .foreign),
        Case(testDescription: "killed", damage: "echo journal > a#b.db-wal", state: .hasJournal),
        Case(testDescription: "a copy killed at its end", damage: "echo journal > a#b.db-journal", state: .hasJournal),
        Case(testDescription: "closed well", damage: ": > a#b.db-wal", state: .whole),
    ]

    /// Its path has a character that is special in SQLite's URIs.
    private let folder = TemporaryFolder()
    private var path: String { folder.path("a#b.db") }

    private func makeLedger() throws {
        let ledger = try TemporaryLedger(at: path, kind: .file)
        _ = try ledger.order(OrderRequest(user: "42", product: "p"))
        ledger.close()
    }

    /// The names, sizes and modification times of its files.
    private var trace: [String] {
        folder.names.map { name in
            var information = stat()
            stat(folder.path(name), &information)
            let time = information.st_mtim
            return "\(name) \(information.st_size) \(information.st_mode) \(time.tv_sec).\(time.tv_nsec)"
        }
    }

    @Test(arguments: cases) func isRecognised(_ example: Case) throws {
        try makeLedger()
        #expect(try RunningProcess("sh", arguments: ["-c", example.damage], folder: folder.path).waitForExit() == 0)
        let before = trace
        #expect(LedgerInspection(path: path).state == example.state)
        #expect(trace == before)
    }

    @Test func programsAndVersionsAreToldApart() throws {
        try makeLedger()
        let path = path
        func change(_ sql: String) throws {
            try SQLiteConnection(path: path, access: .readWrite, lockTimeout: .zero)
                .execute("PRAGMA journal_mode = DELETE; \(sql)")
        }
        try change("PRAGMA user_version = 99")
        #expect(LedgerInspection(path: path).state == .refused(.newerSchema(found: 99, supported: SQLiteSchema.newest)))
        try change("PRAGMA user_version = 1; DROP TABLE meta")
        #expect(LedgerInspection(path: path).state == .foreign)
    }

    @Test func whoeverWorksWithItIsNamed() throws {
        try makeLedger()
        let lock = try LedgerLock(path: path)
        lock.write(address: "http://127.0.0.1:8080")
        let holder = LedgerHolder(process: Int(getpid()), address: "http://127.0.0.1:8080")
        #expect(LedgerInspection(path: path).state == .inUse(holder))
        // Inspecting did not release the lock.
        #expect(throws: LedgerError.self) { try LedgerLock(path: path) }
        withExtendedLifetime(lock) {}
    }

    @Test func rightsAndRoomAreLookedAt() throws {
        try makeLedger()
        #expect(LedgerInspection(path: path).mode == 0o600)
        chmod(path, 0o644)
        let inspection = LedgerInspection(path: path)
        #expect(inspection.mode == 0o644 && inspection.isWritable && !inspection.diskIsFull)
        #expect(inspection.freeBytes.map { $0 > 0 } == true && inspection.bytes > 0)
        let nowhere = LedgerInspection(path: folder.path + "/nowhere/paycast.db")
        #expect(nowhere.state == .missing && !nowhere.isWritable && nowhere.freeBytes == nil)
    }
}
