internal import Glibc

/// The ledger's file, before SQLite opens it.
public enum LedgerFile {
    /// Less free space than this holds no commit.
    public static let leastFreeBytes = 256 << 10

    /// Creates an empty file that only its owner may read, unless the file exists: it will hold who bought what. SQLite
    /// would make it readable to everyone whom the umask lets in, and it gives `-wal` and `-shm` the mode of the
    /// ledger.
    ///
    /// Reports no failure, because SQLite will meet the same one. An existing file is not touched: opening and closing
    /// it would drop the locks of this process on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
    public static func create(_ path: String) {
        // SQLite's name for a ledger without a file, which tests use.
        guard path != ":memory:" else { return }
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// The folder that `path` lies in.
    public static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    }

    /// The free space on the disk of `folder`; nil when the folder does not exist.
    public static func freeBytes(in folder: String) -> Int? {
        var disk = statvfs()
        guard statvfs(folder, &disk) == 0 else { return nil }
        return Int(clamping: UInt64(disk.f_bavail) &* UInt64(disk.f_frsize))
    }
}
