internal import Glibc

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

    public func take(_ file: String) {
        _ = chown(file, user, group)
    }
}
