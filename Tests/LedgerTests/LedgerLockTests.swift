import Glibc
import Ledger
import TestSupport
import Testing

@Suite struct LedgerLockTests {
    private let folder = TemporaryFolder()

    @Test func refusesTheSecondAndNamesTheFirst() throws {
        let path = folder.path("paycast.db")
        let first = try LedgerLock(path: path)
        let starting = #expect(throws: LedgerError.self) { try LedgerLock(path: path) }
        #expect(starting?.description.contains("process \(getpid()), which is starting;") == true)
        first.write(address: "http://127.0.0.1:8080")
        let serving = #expect(throws: LedgerError.self) { try LedgerLock(path: path) }
        #expect(serving?.description.contains("process \(getpid()), which serves http://127.0.0.1:8080;") == true)
        withExtendedLifetime(first) {}
    }

    @Test func linkLeadsToTheSameLock() throws {
        let first = try LedgerLock(path: folder.path("paycast.db"))
        symlink("paycast.db", folder.path("link.db"))
        #expect(throws: LedgerError.self) { try LedgerLock(path: folder.path("link.db")) }
        withExtendedLifetime(first) {}
    }

    @Test func isFreeAfterTheFirstHasGone() throws {
        let path = folder.path("paycast.db")
        do { try LedgerLock(path: path).write(address: "http://127.0.0.1:8080") }
        _ = try LedgerLock(path: path)
    }

    @Test func missingFolderIsNamed() {
        let error = #expect(throws: LedgerError.self) { try LedgerLock(path: folder.path + "/nowhere/paycast.db") }
        #expect(error?.description.contains("/nowhere/paycast.db: No such file or directory") == true)
    }
}
