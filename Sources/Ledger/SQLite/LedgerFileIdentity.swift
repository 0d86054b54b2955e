internal import Glibc

/// Identifies the ledger's files. SQLite goes on writing to a file that was deleted, moved or replaced, and everything
/// that was answered 200 meanwhile would be gone after the next start.
public struct LedgerFileIdentity: Sendable {
    private struct Identity: Equatable {
        var device: UInt
        var inode: UInt

        init?(_ path: String) {
            var information = stat()
            guard stat(path, &information) == 0 else { return nil }
            device = UInt(information.st_dev)
            inode = UInt(information.st_ino)
        }
    }

    private let files: [(path: String, identity: Identity)]

    /// Make it once the files are open and the journal has begun. A ledger in memory has no files.
    public init(_ path: String) {
        files = ["", "-wal", "-shm"].compactMap { suffix in
            Identity(path + suffix).map { (path + suffix, $0) }
        }
    }

    /// The ledger's own path; nil in memory.
    public var path: String? { files.first?.path }

    /// True while that path still names the file that is written, whatever happened to its journal.
    public var hasLedger: Bool { files.first.map { Identity($0.path) == $0.identity } ?? true }

    /// Nil while the files that are written are at their paths.
    public var problem: String? {
        for file in files {
            let found = Identity(file.path)
            guard found != file.identity else { continue }
            let what = found == nil ? "\(file.path) is gone" : "another file has taken the place of \(file.path)"
            let todo =
                file.path == path
                ? "put it back, or stop the server and restore a backup" : "start the server again"
            return "\(what), so nothing is committed any more: \(todo)"
        }
        return nil
    }
}
