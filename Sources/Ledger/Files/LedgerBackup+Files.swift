internal import Glibc
internal import LedgerInterface
internal import LedgerSQL
internal import SQLiteLedger

extension LedgerBackup {
    static func isFile(_ path: String) -> Bool {
        var information = stat()
        return stat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFREG && information.st_size > 0
    }

    /// Follows a link, so that a link to the ledger remains one.
    static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    static func isSameFile(_ left: String, as right: String) -> Bool {
        var first = stat()
        var second = stat()
        guard stat(left, &first) == 0, stat(right, &second) == 0 else { return false }
        return first.st_ino == second.st_ino && first.st_dev == second.st_dev
    }

    /// Allows only an older backup to be replaced: a typo must not cost anybody another file.
    static func refuseToReplace(_ file: String, from path: String) throws(LedgerBackupError) {
        for suffix in ["", "-wal", "-shm", "-lock"] where isSameFile(file, as: path + suffix) { throw .sameFile(file) }
        var information = stat()
        guard lstat(file, &information) == 0, information.st_size > 0 else { return }
        guard information.st_mode & S_IFMT == S_IFREG, (try? epoch(of: file)) != nil else { throw .notABackup(file) }
    }

    private static func epoch(of file: String) throws(EngineError) -> String {
        let connection = try SQLiteConnection(path: file, access: .readOnly, lockTimeout: .zero)
        return try connection.prepare("SELECT value FROM meta WHERE key = 'epoch'").first { $0.text(0) } ?? ""
    }

    /// Returns the file's size in bytes once all of it is on the disk.
    static func synchronized(_ file: String) throws(LedgerBackupError) -> Int {
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
