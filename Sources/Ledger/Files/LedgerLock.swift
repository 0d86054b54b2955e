import Glibc
import Support

/// Keeps a second server from the ledger. Two would both commit, and the pages of one would never hear what the other
/// committed.
///
/// It is an advisory lock on a file beside the ledger, which tells a second server where the first one is. The system
/// drops the lock when the process ends, however it ends. The file stays: if its name were unlinked under a lock, two
/// processes could lock two files.
public final class LedgerLock: Sendable {
    private let descriptor: Int32
    private let file: String

    public init(path: String) throws(LedgerError) {
        LedgerFile.create(path)
        file = LedgerLock.file(of: path)
        descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = String(cString: strerror(errno))
            throw .cannotOpen(path: path, reason: LedgerFile.foreignOwner(of: path) ?? reason)
        }
        // Each descriptor of a process holds a lock of its own, and child processes do not inherit this one.
        let reason = LedgerLock.lock(descriptor, LOCK_EX)
        guard reason == 0 else {
            let holder = LedgerHolder(LedgerLock.text(in: descriptor))
            close(descriptor)
            throw reason == EWOULDBLOCK
                ? .inUse(path: path, by: holder)
                : .cannotOpen(path: path, reason: "it cannot be locked: \(String(cString: strerror(reason)))")
        }
        write(LedgerHolder(process: Int(getpid()), address: nil))
    }

    deinit {
        close(descriptor)
    }

    /// The server that uses the ledger at `path`. Returns nil if no server does, and if this user may not read the lock
    /// file. Creates no file.
    public static func holder(of path: String) -> LedgerHolder? {
        let descriptor = open(file(of: path), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        // A lock that was taken here is released at once, because a server may just be starting.
        defer { close(descriptor) }
        guard lock(descriptor, LOCK_SH) == EWOULDBLOCK else { return nil }
        return LedgerHolder(text(in: descriptor))
    }

    /// Returns 0 or the error's number. A process that is being started has copies of its parent's descriptors, and their
    /// locks, until it executes its program: so a lock that was released a moment ago gets 200 milliseconds.
    private static func lock(_ descriptor: Int32, _ kind: Int32) -> Int32 {
        var attempts = 1
        while flock(descriptor, kind | LOCK_NB) != 0 {
            let reason = errno
            guard reason == EWOULDBLOCK, attempts < 20 else { return reason }
            attempts += 1
            usleep(10_000)
        }
        return 0
    }

    /// Records where this server can be reached from now on, to tell a second one.
    public func write(address: String) {
        write(LedgerHolder(process: Int(getpid()), address: address))
    }

    /// Nil while the file at the lock's path is the one that is locked. Another server could lock any other file there.
    public var problem: String? {
        guard let held = FileVersion(descriptor), !held.isSameFile(as: FileVersion(file)) else { return nil }
        return "\(file) is gone, so a second server could use this ledger: restart this server"
    }

    /// The lock lies beside the file itself, so that a link to the ledger leads to the same lock.
    static func file(of path: String) -> String { LedgerBackup.resolved(path) + "-lock" }

    private static func text(in descriptor: Int32) -> String {
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }

    /// The lock holds even when the disk is too full for this one line.
    private func write(_ holder: LedgerHolder) {
        let bytes = Array(holder.text.utf8)
        ftruncate(descriptor, 0)
        _ = pwrite(descriptor, bytes, bytes.count, 0)
    }
}

/// The server that holds the ledger: `PID ADDRESS` on one line; the address is missing while that server starts.
public struct LedgerHolder: Sendable, Equatable, CustomStringConvertible {
    public var process: Int?
    public var address: String?

    public var description: String {
        let name = process.map { "process \($0)" } ?? "another process"
        return name + (address.map { ", which serves \($0)" } ?? ", which is starting")
    }
}

extension LedgerHolder {
    fileprivate init(_ text: String) {
        let words = text.split(whereSeparator: \.isWhitespace)
        self.init(process: words.first.flatMap { Int($0) }, address: words.dropFirst().first.map(String.init))
    }

    fileprivate var text: String {
        [process.map { "\($0)" }, address].compactMap { $0 }.joined(separator: " ") + "\n"
    }
}
