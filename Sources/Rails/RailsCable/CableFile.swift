internal import Glibc

/// The state of the app's file, to notice that another one has taken its place, or that somebody writes it.
struct CableFile: Equatable {
    private let device: UInt
    private let inode: UInt
    private let size: Int
    private let changedSeconds: Int
    private let changedNanoseconds: Int
    /// Whether somebody has its write-ahead log open, or had it until a crash.
    let hasIndex: Bool

    /// Nil when it is not there.
    init?(_ path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else { return nil }
        device = UInt(information.st_dev)
        inode = UInt(information.st_ino)
        size = Int(information.st_size)
        changedSeconds = Int(information.st_mtim.tv_sec)
        changedNanoseconds = Int(information.st_mtim.tv_nsec)
        hasIndex = access(path + "-shm", F_OK) == 0
    }

    func isSame(as other: CableFile) -> Bool { device == other.device && inode == other.inode }

    /// https://www.sqlite.org/fileformat2.html, 1.3: byte 18 is 2 for it. Call it only while nobody in this process holds
    /// a lock on the file: closing any descriptor drops them (https://www.sqlite.org/howtocorrupt.html, 2.2).
    static func hasWriteAheadLog(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var version: UInt8 = 0
        return pread(descriptor, &version, 1, 18) == 1 && version == 2
    }
}
