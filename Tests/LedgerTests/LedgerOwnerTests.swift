import Glibc
import TestSupport
import Testing

@testable import Ledger

/// A ledger that root restores belongs to the owner of the old one, or of its folder: the server runs as a user of its
/// own.
@Suite(.enabled(if: geteuid() == 0, "only root may give a file away")) struct LedgerOwnerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var hasFormer: Bool
        var owner: uid_t
    }

    @Test(arguments: [
        Case(testDescription: "over a ledger", hasFormer: true, owner: 4321),
        Case(testDescription: "where none is left", hasFormer: false, owner: 1234),
    ])
    func restoredLedgerHasItsOwner(_ given: Case) throws {
        let folder = TemporaryFolder()
        let ledger = "\(folder.path)/state/paycast.db"
        let backup = "\(folder.path)/backup.db"
        try #require(mkdir("\(folder.path)/state", 0o700) == 0)
        try TemporaryLedger(at: ledger, kind: .file).close()
        _ = try LedgerBackup.backup(of: ledger, to: backup)
        if !given.hasFormer { for suffix in ["", "-lock"] { unlink(ledger + suffix) } }
        try #require(chown("\(folder.path)/state", 1234, 1234) == 0)
        if given.hasFormer { try #require(chown(ledger, 4321, 4321) == 0) }

        _ = try LedgerBackup.restore(backup, to: ledger)

        #expect(try owner(of: ledger) == given.owner)
        #expect(try owner(of: ledger + "-lock") == given.owner)
    }

    private func owner(of file: String) throws -> uid_t {
        var information = stat()
        try #require(stat(file, &information) == 0)
        return information.st_uid
    }
}
