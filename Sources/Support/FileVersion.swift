import CLinux
public import Glibc

/// A version of a file, known without reading it: a write makes another one, and so does a file that takes its place.
public struct FileVersion: Sendable, Hashable {
    private let device, inode: UInt64
    private let size, seconds, nanoseconds: Int

    public init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int(status.st_size)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }

    /// Nil if there is no file at this path.
    public init?(_ path: String) { self.init { stat(path, &$0) } }

    public init?(_ descriptor: Int32) { self.init { fstat(descriptor, &$0) } }

    private init?(read: (inout stat) -> Int32) {
        var status = stat()
        guard read(&status) == 0 else { return nil }
        self.init(status)
    }

    /// Whether it is one file, changed or not.
    public func isSameFile(as other: FileVersion?) -> Bool { device == other?.device && inode == other?.inode }

    /// Whether two paths name one file, which is there.
    public static func isSame(_ left: String, as right: String) -> Bool {
        FileVersion(left)?.isSameFile(as: FileVersion(right)) ?? false
    }
}
