import Glibc
import Pages
import Support
import Synchronization

/// The files that are being sent. All downloads of one file share its descriptor, so that clients who read nothing hold
/// no more of them than there are files, and never more than `limit`: connections are budgeted with one descriptor
/// each, though a connection of HTTP/2 downloads a hundred files at once.
final class OpenFiles: Sendable {
    private struct Shared {
        weak var file: OpenFile?
    }

    private let limit: Int
    private let files = Mutex<[FileVersion: Shared]>([:])

    init(limit: Int) { self.limit = limit }

    /// Takes over `descriptor`, and closes it if the file is open already. Returns nil if too many others are open.
    func share(_ descriptor: Int32, status: stat) -> OpenFile? {
        let opened = OpenFile(owning: descriptor)
        let identity = FileVersion(status)
        return files.withLock { files in
            if let known = files[identity]?.file { return known }
            if files.count >= limit { files = files.filter { $0.value.file != nil } }
            guard files.count < limit else { return nil }
            files[identity] = Shared(file: opened)
            return opened
        }
    }
}
