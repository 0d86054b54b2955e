internal import Domain
internal import Glibc
internal import LedgerInterface
internal import SQLiteLedger

extension LedgerBackup {
    /// Puts a backup in the ledger's place, with a new epoch: a cursor of the former ledger, or of the one that was
    /// backed up, means nothing in this one. Returns where the former ledger is now, if there was one.
    ///
    /// Throws when a server runs on the ledger.
    public static func restore(
        _ file: String,
        to path: String
    ) throws(LedgerBackupError) -> (copy: LedgerBackup, former: String?) {
        guard isFile(file) else { throw .noLedger(file) }
        guard !isSameFile(file, as: path) else { throw .sameFile(file) }
        let path = resolved(path)
        let hasFormer = isFile(path)
        let owner = LedgerFileOwner(ofLedgerAt: path)
        let lock: LedgerLock
        do throws(LedgerError) {
            lock = try LedgerLock(path: path)
        } catch {
            throw .ledger(error)
        }
        // Keeps the lock until the end: it is released when its last reference goes.
        defer { withExtendedLifetime(lock) {} }
        let former = "\(path).before-restore"
        owner?.take(LedgerLock.file(of: path))
        let copy = try made(from: file, for: path, owner: owner, epoch: Cursor.newEpoch()) {
            () throws(LedgerBackupError) in
            try setAside(path, hasLedger: hasFormer, as: former)
        }
        return (copy, hasFormer ? former : nil)
    }

    /// The ledger stays at its path until the new one takes its place, so that a server always finds one. Its journal
    /// goes first: into the ledger, or else aside with it. A journal that stayed would be read into the new ledger, and
    /// destroy it.
    private static func setAside(_ path: String, hasLedger: Bool, as former: String) throws(LedgerBackupError) {
        if hasLedger { try? emptyJournal(of: path) }
        for suffix in ["", "-wal", "-shm"] { unlink(former + suffix) }
        guard !hasLedger || link(path, former) == 0 else { throw .cannotWrite(former, reason: reason()) }
        for suffix in ["-wal", "-shm"] { _ = Glibc.rename(path + suffix, former + suffix) }
    }

    /// The last connection that closes a ledger removes its journal.
    private static func emptyJournal(of path: String) throws(EngineError) {
        let connection = try SQLiteConnection(path: path, access: .readWrite, lockTimeout: .zero)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}
