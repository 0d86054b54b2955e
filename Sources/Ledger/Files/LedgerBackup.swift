import Domain
import Glibc
import Support

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
    public static func backup(of path: String, to file: String) throws(CopyError) -> LedgerBackup {
        guard isFile(path) else { throw .noLedger(path) }
        try refuseToReplace(file, from: path)
        return try made(from: path, for: file, epoch: nil)
    }

    static func made(
        from source: String,
        for file: String,
        owner: LedgerFileOwner? = nil,
        epoch: String?,
        before: () throws(CopyError) -> Void = {}
    ) throws(CopyError) -> LedgerBackup {
        let folder = LedgerFile.folder(of: file)
        guard access(folder, F_OK) == 0 else { throw CopyError("there is no folder \(folder): make it first") }
        let draft = "\(file).\(getpid()).part"
        unlink(draft)
        // SQLite would make it readable to everyone whom the umask lets in.
        LedgerFile.create(draft)
        owner?.take(draft)
        defer { for suffix in ["", "-wal", "-shm", "-journal"] { unlink(draft + suffix) } }
        var copy = try copied(source, to: draft)
        try mark(draft, epoch: epoch)
        copy.epoch = epoch ?? copy.epoch
        copy.bytes = try synchronized(draft)
        try before()
        guard Glibc.rename(draft, file) == 0 else { throw .cannotWrite(file, reason: reason()) }
        synchronizeFolder(of: file)
        return copy
    }

    /// Copies one snapshot, packed, and reads the copy again from the first page to the last.
    private static func copied(_ source: String, to draft: String) throws(CopyError) -> LedgerBackup {
        do throws(EngineError) {
            let connection = try SQLiteConnection(path: source, access: .readOnly, lockTimeout: .seconds(10))
            try connection.prepare("VACUUM INTO ?").run([.text(draft)])
        } catch {
            let reason = error.isDamage ? "it is damaged, or not a ledger" : error.message
            throw CopyError("\(source) cannot be copied: \(reason)")
        }
        return try proven(draft, from: source)
    }

    private static func proven(_ draft: String, from source: String) throws(CopyError) -> LedgerBackup {
        let (answer, epoch, head): (String?, String?, Int64?)
        let refusal: LedgerError?
        do throws(EngineError) {
            let connection = try SQLiteConnection(path: draft, access: .readOnly, lockTimeout: .zero)
            answer = try connection.prepare("PRAGMA integrity_check(1)").first { $0.text() }
            epoch = try connection.prepare("SELECT value FROM meta WHERE key = 'epoch'").first { $0.text() }
            head = try connection.prepare("SELECT max(position) FROM entries").first { $0.integer() }
            refusal = try SQLiteSchema.refusal(connection)
        } catch {
            throw .unsound(source, reason: error.message)
        }
        if let refusal { throw CopyError("\(refusal)") }
        guard answer == "ok", let epoch else { throw .unsound(source, reason: answer ?? "it is not a ledger") }
        return LedgerBackup(epoch: epoch, position: head ?? 0, bytes: 0)
    }

    /// A copy is at home nowhere.
    private static func mark(_ draft: String, epoch: String?) throws(CopyError) {
        do throws(EngineError) {
            let connection = try SQLiteConnection(path: draft, access: .readWrite, lockTimeout: .zero)
            try connection.execute("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL")
            try connection.setHome(.nowhere)
            guard let epoch else { return }
            try connection.prepare("UPDATE meta SET value = ? WHERE key = 'epoch'").run([.text(epoch)])
        } catch {
            throw .cannotWrite(draft, reason: error.message)
        }
    }
}

extension LedgerBackup {
    /// True for a file that is not empty.
    public static func isFile(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG && information.st_size > 0
    }

    /// Follows a link, so that a link to the ledger remains one.
    static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Allows only an older backup to be replaced: a typo must not cost anybody another file.
    static func refuseToReplace(_ file: String, from path: String) throws(CopyError) {
        for suffix in ["", "-wal", "-shm", "-journal", "-lock"] where FileVersion.isSame(file, as: path + suffix) {
            throw .sameFile(file)
        }
        var information = stat()
        guard lstat(file, &information) == 0, information.st_size > 0 else { return }
        let epoch = try? SQLiteConnection(path: file, access: .readOnly, lockTimeout: .zero).epoch()
        guard information.st_mode & S_IFMT == S_IFREG, epoch != nil else {
            throw CopyError("\(file) exists and is not a backup of a ledger: name another file, or remove it")
        }
    }

    /// Returns the file's size in bytes once all of it is on the disk.
    static func synchronized(_ file: String) throws(CopyError) -> Int {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .cannotWrite(file, reason: reason()) }
        defer { close(descriptor) }
        var information = stat()
        guard fsync(descriptor) == 0, fstat(descriptor, &information) == 0 else {
            throw .cannotWrite(file, reason: reason())
        }
        return Int(information.st_size)
    }

    /// Makes the new name survive a power cut.
    static func synchronizeFolder(of file: String) {
        let descriptor = open(LedgerFile.folder(of: file), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }

    static func reason() -> String { String(cString: strerror(errno)) }
}

extension LedgerBackup {
    /// Puts a backup in the ledger's place, with a new epoch: a cursor of the former ledger, or of the one that was
    /// backed up, means nothing in this one. Returns where the former ledger is now, if there was one.
    ///
    /// Throws when a server runs on the ledger.
    public static func restore(
        _ file: String,
        to path: String
    ) throws(CopyError) -> (copy: LedgerBackup, former: String?) {
        guard isFile(file) else { throw .noLedger(file) }
        guard !FileVersion.isSame(file, as: path) else { throw .sameFile(file) }
        let path = resolved(path)
        let hasFormer = isFile(path)
        let owner = LedgerFileOwner(ofLedgerAt: path)
        let lock: LedgerLock
        do throws(LedgerError) {
            lock = try LedgerLock(path: path)
        } catch {
            throw CopyError("\(error)")
        }
        // Keeps the lock until the end: it is released when its last reference goes.
        defer { withExtendedLifetime(lock) {} }
        let former = "\(path).before-restore"
        owner?.take(LedgerLock.file(of: path))
        let copy = try made(from: file, for: path, owner: owner, epoch: Cursor.newEpoch()) {
            () throws(CopyError) in
            try setAside(path, hasLedger: hasFormer, as: former)
        }
        return (copy, hasFormer ? former : nil)
    }

    /// The ledger stays at its path until the new one takes its place, so that a server always finds one. Its journal
    /// goes first: into the ledger, or else aside with it. A journal that stayed would be read into the new ledger, and
    /// destroy it.
    private static func setAside(_ path: String, hasLedger: Bool, as former: String) throws(CopyError) {
        if hasLedger { try? emptyJournal(of: path) }
        // A copy that was killed leaves a `-journal`.
        for suffix in ["", "-wal", "-shm", "-journal"] { unlink(former + suffix) }
        guard !hasLedger || link(path, former) == 0 else { throw .cannotWrite(former, reason: reason()) }
        for suffix in ["-wal", "-shm", "-journal"] { _ = Glibc.rename(path + suffix, former + suffix) }
    }

    /// The last connection that closes a ledger removes its journal.
    private static func emptyJournal(of path: String) throws(EngineError) {
        let connection = try SQLiteConnection(path: path, access: .readWrite, lockTimeout: .zero)
        try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
}

/// Why a ledger was not copied. Whatever was there before is still there. Safe to print; it says what to do.
public struct CopyError: Error, Equatable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }
}

extension CopyError {
    fileprivate static func noLedger(_ path: String) -> CopyError {
        CopyError("there is no ledger at \(path): check the path")
    }

    fileprivate static func sameFile(_ file: String) -> CopyError {
        CopyError("\(file) is the ledger itself: name another file")
    }

    fileprivate static func cannotWrite(_ file: String, reason: String) -> CopyError {
        CopyError("\(file) cannot be written: \(reason)")
    }

    fileprivate static func unsound(_ path: String, reason: String) -> CopyError {
        CopyError("\(path) cannot be used, nothing was changed: \(reason)")
    }
}
