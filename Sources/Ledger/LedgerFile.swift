internal import Glibc

/// The ledger's file, before SQLite opens it.
enum LedgerFile {
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

    /// The folder that `path` lies in.
    static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
    }

    /// The user and group that own a file. The server runs as a user other than root, and must be able to open what
    /// root has restored.
    struct Owner {
        private let user: uid_t
        private let group: gid_t

        /// Reads the owner of the ledger at `path`, or of its folder if there is no ledger. Returns nil unless this
        /// process is root, because nobody else may change a file's owner.
        init?(ofLedgerAt path: String) {
            var information = stat()
            let reference = LedgerCopy.isFile(path) ? path : LedgerFile.folder(of: path)
            guard geteuid() == 0, stat(reference, &information) == 0 else { return nil }
            user = information.st_uid
            group = information.st_gid
        }

        func take(_ file: String) {
            _ = chown(file, user, group)
        }
    }
}
