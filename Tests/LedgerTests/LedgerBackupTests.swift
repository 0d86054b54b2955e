import Ledger
import TestSupport
import Testing

@Suite(.blocking) struct LedgerBackupTests {
    @Test func namesTheFolderThatIsMissing() throws {
        let ledger = try TemporaryLedger(kind: .file)
        defer { ledger.remove() }
        let folder = TemporaryLedger.newPath() + "/missing/"
        #expect(throws: CopyError("there is no folder \(folder): make it first")) {
            try LedgerBackup.backup(of: ledger.path, to: folder + "copy.db")
        }
    }
}
