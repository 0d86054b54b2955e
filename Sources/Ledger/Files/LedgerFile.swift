import Glibc
import Support

/// The ledger's file, before SQLite opens it.
enum LedgerFile {
    /// Less free space than this holds no commit.
    static let leastFreeBytes = 256 << 10

    /// Creates an empty file that only its owner may read, unless the file exists: it will hold who bought what. SQLite
    /// would make it readable to everyone whom the umask lets in, and it gives `-wal` and `-shm` the mode of the
    /// ledger.
    ///
    /// Reports no failure, because SQLite will meet the same one. An existing file is not touched: opening and closing
    /// it would drop the locks of this process on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
    static func create(_ path: String) {
        // SQLite's name for a ledger without a file, which tests use.
        guard path != ":memory:" else { return }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Whose file keeps this process from the ledger at `path`: the ledger's own, its lock's, or the folder; nil if each is this
    /// user's, or may be written.
    static func foreignOwner(of path: String) -> String? {
        for file in [path, LedgerLock.file(of: path), folder(of: path)] {
            var information = stat()
            guard stat(file, &information) == 0, information.st_uid != geteuid(), access(file, W_OK) != 0 else {
                continue
            }
            return
                "\(LedgerBackup.resolved(file)) belongs to user \(information.st_uid), and user \(geteuid()) runs this"
        }
        return nil
    }

    /// The folder that `path` lies in.
    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    }

    /// The free space on the disk of `folder`; nil when the folder does not exist.
    static func freeBytes(in folder: String) -> Int? {
        var disk = statvfs()
        guard statvfs(folder, &disk) == 0 else { return nil }
        return Int(clamping: UInt64(disk.f_bavail) &* UInt64(disk.f_frsize))
    }
}

/// Identifies the ledger's files. SQLite goes on writing to a file that was deleted, moved or replaced, and everything
/// that was answered 200 meanwhile would be gone after the next start.
public struct LedgerFileIdentity: Sendable {
    private let files: [(path: String, opened: FileVersion)]

    /// Make it once the files are open and the journal has begun. A ledger in memory has no files.
    public init(_ path: String) {
        files = ["", "-wal", "-shm"].compactMap { suffix in
            FileVersion(path + suffix).map { (path + suffix, $0) }
        }
    }

    /// The ledger's own path; nil in memory.
    public var path: String? { files.first?.path }

    /// True while that path still names the file that is written, whatever happened to its journal.
    var hasLedger: Bool { files.first.map { $0.opened.isSameFile(as: FileVersion($0.path)) } ?? true }

    /// Nil while the files that are written are at their paths.
    public var problem: String? {
        for file in files {
            let found = FileVersion(file.path)
            guard !file.opened.isSameFile(as: found) else { continue }
            let what = found == nil ? "\(file.path) is gone" : "another file has taken the place of \(file.path)"
            let todo =
                file.path == path
                ? "put it back, or stop the server and restore a backup" : "start the server again"
            return "\(what), so nothing is committed any more: \(todo)"
        }
        return nil
    }
}

/// The user and group that own a file. The server runs as a user other than root, and must be able to open what
/// root has restored.
public struct LedgerFileOwner {
    private let user: uid_t
    private let group: gid_t

    /// Reads the owner of the ledger at `path`, or of its folder if there is no ledger. Returns nil unless this
    /// process is root, because nobody else may change a file's owner.
    public init?(ofLedgerAt path: String) {
        var information = stat()
        let reference = LedgerBackup.isFile(path) ? path : LedgerFile.folder(of: path)
        guard geteuid() == 0, stat(reference, &information) == 0 else { return nil }
        user = information.st_uid
        group = information.st_gid
    }

    public func take(_ file: String) { _ = chown(file, user, group) }
}
