internal import Glibc
internal import LedgerInterface
internal import LedgerSQL
internal import SQLiteLedger

/// A whole, consistent ledger in one file: a backup makes one, and a restore puts it back.
///
/// The copy is written beside its destination under another name, checked, made durable, and only then renamed. So
/// there is always either the old file or the new one, and never half of one.
public struct LedgerBackup: Sendable, Equatable {
    public var epoch: String
    /// The newest position in the copy.
    public var position: Int64
    public var bytes: Int

    /// Copies the ledger at `path` to `file`, whether or not a server uses the ledger. An existing `file` is replaced
    /// if it is a copy of a ledger itself.
    public static func backup(of path: String, to file: String) throws(LedgerBackupError) -> LedgerBackup {
        guard isFile(path) else { throw .noLedger(path) }
        try refuseToReplace(file, from: path)
        return try made(from: path, for: file, epoch: nil)
    }

    static func made(
        from source: String,
        for file: String,
        owner: LedgerFileOwner? = nil,
        epoch: String?,
        before: () throws(LedgerBackupError) -> Void = {}
    ) throws(LedgerBackupError) -> LedgerBackup {
        let draft = "\(file).\(getpid()).part"
        unlink(draft)
        // SQLite would make it readable to everyone whom the umask lets in.
        LedgerFile.create(draft)
        owner?.take(draft)
        defer { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(draft + suffix) } }
        var copy = try copied(source, to: draft)
        if let epoch {
            try rename(draft, epoch: epoch)
            copy.epoch = epoch
        }
        copy.bytes = try synchronized(draft)
        try before()
        guard Glibc.rename(draft, file) == 0 else { throw .cannotWrite(file, reason: reason()) }
        synchronizeFolder(of: file)
        return copy
    }

    /// Copies one snapshot, packed, and reads the copy again from the first page to the last.
    private static func copied(_ source: String, to draft: String) throws(LedgerBackupError) -> LedgerBackup {
        do throws(EngineError) {
            let connection = try SQLiteConnection(path: source, access: .readOnly, lockTimeout: .seconds(10))
            try connection.prepare("VACUUM INTO ?").run([.text(draft)])
        } catch {
            throw .cannotCopy(source, reason: error.isDamage ? "it is damaged, or not a ledger" : error.message)
        }
        return try proven(draft, from: source)
    }

    private static func proven(_ draft: String, from source: String) throws(LedgerBackupError) -> LedgerBackup {
        let (version, answer, epoch, head): (Int64, String?, String?, Int64?)
        let isUnfinished: Bool
        do throws(EngineError) {
            let connection = try SQLiteConnection(path: draft, access: .readOnly, lockTimeout: .zero)
            version = try connection.prepare("PRAGMA user_version").first { $0.integer(0) } ?? 0
            answer = try connection.prepare("PRAGMA integrity_check(1)").first { $0.text(0) }
            epoch = try connection.prepare("SELECT value FROM meta WHERE key = 'epoch'").first { $0.text(0) }
            head = try connection.prepare("SELECT max(position) FROM entries").first { $0.integer(0) }
            isUnfinished = try SQLiteSchema.isUnfinishedCopy(connection)
        } catch {
            throw .unsound(source, reason: error.message)
        }
        guard version <= SQLiteSchema.newest else {
            throw .ledger(.newerSchema(found: version, supported: SQLiteSchema.newest))
        }
        guard !isUnfinished else { throw .ledger(.unfinishedCopy) }
        guard answer == "ok", let epoch else { throw .unsound(source, reason: answer ?? "it is not a ledger") }
        return LedgerBackup(epoch: epoch, position: head ?? 0, bytes: 0)
    }

    private static func rename(_ draft: String, epoch: String) throws(LedgerBackupError) {
        do throws(EngineError) {
            let connection = try SQLiteConnection(path: draft, access: .readWrite, lockTimeout: .zero)
            try connection.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL")
            try connection.prepare("UPDATE meta SET value = ? WHERE key = 'epoch'").run([.text(epoch)])
        } catch {
            throw .cannotWrite(draft, reason: error.message)
        }
    }
}
