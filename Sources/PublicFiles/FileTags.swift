internal import Crypto
internal import Encoding
internal import Glibc
internal import HTTPMessages
internal import Synchronization

/// The `ETag` of each requested file. It is a hash of the bytes, so that all servers of a deployment agree. A file is
/// read once per change.
final class FileTags: Sendable {
    /// What differs between two versions of a file.
    private struct Version: Equatable {
        let device: UInt64
        let inode: UInt64
        let size: Int
        let seconds: Int
        let nanoseconds: Int

        init(_ status: stat) {
            device = UInt64(status.st_dev)
            inode = UInt64(status.st_ino)
            size = Int(status.st_size)
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }
    }

    /// Files of a public folder. A full list is emptied.
    private static let capacity = 1000

    private let known = Mutex<[String: (version: Version, tag: String)]>([:])

    /// The tag of bytes that are part of the program.
    static func tag(of bytes: [UInt8]) -> String { text(SHA256.hash(bytes)) }

    private static func text(_ hash: [UInt8]) -> String { "\"\(Hex.encode(Array(hash.prefix(12))))\"" }

    func tag(of name: String, status: stat, file: OpenFile) -> String {
        let version = Version(status)
        if let tag = known.withLock({ $0[name].flatMap { $0.version == version ? $0.tag : nil } }) { return tag }
        var body = FileBody(file: file, range: 0..<Int(status.st_size))
        let hash = SHA256.hash { body.range.isEmpty ? nil : body.next() }
        let tag = FileTags.text(hash)
        known.withLock { known in
            if known.count >= FileTags.capacity { known = [:] }
            known[name] = (version, tag)
        }
        return tag
    }
}
