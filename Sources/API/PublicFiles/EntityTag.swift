internal import Crypto
internal import Encoding
internal import Glibc
internal import Pages
internal import Synchronization

/// The `ETag` of an answer (RFC 9110 §8.8.3): a hash of its bytes, so that all servers of a deployment agree.
public enum EntityTag {
    public static func of(_ bytes: [UInt8]) -> String { text(SHA256.hash(bytes)) }

    static func text(_ hash: [UInt8]) -> String { "\"\(Hex.encode(Array(hash.prefix(12))))\"" }

    /// Whether the client already has this version.
    public static func isKnown(_ tag: String, ifNoneMatch: String?) -> Bool {
        let known = ifNoneMatch?.split(separator: ",").map { $0.drop { $0 == " " } } ?? []
        return known.contains { $0 == tag || $0 == "W/\(tag)" || $0 == "*" }
    }
}

/// The `ETag` of each requested file. A file is read once per change.
final class FileTags: Sendable {
    /// The properties that differ between two versions of a file.
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

    func tag(of name: String, status: stat, file: OpenFile) -> String {
        let version = Version(status)
        if let tag = known.withLock({ $0[name].flatMap { $0.version == version ? $0.tag : nil } }) { return tag }
        var body = FileBody(file: file, range: 0..<Int(status.st_size))
        let hash = SHA256.hash { body.range.isEmpty ? nil : body.next() }
        let tag = EntityTag.text(hash)
        known.withLock { known in
            if known.count >= FileTags.capacity { known = [:] }
            known[name] = (version, tag)
        }
        return tag
    }
}
