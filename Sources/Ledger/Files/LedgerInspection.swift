import Glibc

/// The condition of a ledger's files while no server uses them. It only reads and creates no file, not even one of
/// SQLite's, which would then belong to the inspecting user instead of the server's.
public struct LedgerInspection: Sendable, Equatable {
    public enum State: Sendable, Equatable {
        case missing
        /// A server uses the ledger, and can tell more than the files.
        case inUse(LedgerHolder)
        /// The file exists and holds nothing.
        case empty
        /// The reason, in the system's words.
        case unreadable(String)
        /// Something else is at its path: a folder, or another program's file.
        case foreign
        /// This version cannot work on it.
        case refused(LedgerError)
        /// Another ledger is being copied into it.
        case unfinishedCopy
        case damaged
        /// A server that was killed left a journal, which the next server reads.
        case hasJournal
        /// Too large to be read while somebody waits.
        case long
        /// The file was read from the first page to the last, and is sound.
        case whole
    }

    public let path: String
    public private(set) var state = State.missing
    public private(set) var bytes = 0
    /// The permissions of its file, as chmod(1) takes them.
    public private(set) var mode: UInt32 = 0o600
    /// Whether this user could write the file, or create it.
    public let isWritable: Bool
    /// The free space on its disk; nil when its folder does not exist.
    public let freeBytes: Int?

    private static let limit = 1 << 30

    public init(path: String) {
        self.path = path
        let folder = LedgerFile.folder(of: path)
        isWritable = access(folder, W_OK) == 0 && (access(path, F_OK) != 0 || access(path, W_OK) == 0)
        freeBytes = LedgerFile.freeBytes(in: folder)
        inspect()
    }

    /// True when so little is left that a server reports the disk as full.
    public var diskIsFull: Bool { freeBytes.map { $0 < LedgerFile.leastFreeBytes } ?? false }

    private mutating func inspect() {
        var information = stat()
        guard stat(path, &information) == 0 else {
            if errno != ENOENT { state = .unreadable(LedgerBackup.reason()) }
            return
        }
        bytes = Int(information.st_size)
        mode = information.st_mode & 0o777
        guard information.st_mode & S_IFMT == S_IFREG else { return state = .foreign }
        if let holder = LedgerLock.holder(of: path) { return state = .inUse(holder) }
        guard bytes > 0 else { return state = .empty }
        state = judgement
    }

    private var judgement: State {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return .unreadable(LedgerBackup.reason()) }
        defer { close(descriptor) }
        var head = [UInt8](repeating: 0, count: 100)
        // https://www.sqlite.org/fileformat.html, 1.3: the user's version is at byte 60, the application's id at 68.
        guard read(descriptor, &head, head.count) == head.count, head.starts(with: "SQLite format 3\0".utf8) else {
            return .foreign
        }
        func number(at place: Int) -> Int64 { head[place..<place + 4].reduce(0) { $0 << 8 | Int64($1) } }
        if let refusal = SQLiteSchema.refusal(version: number(at: 60), application: number(at: 68)) {
            return .refused(refusal)
        }
        // Whatever a journal says: a copy puts its mark into the file itself before it begins.
        if (try? SQLiteSchema.isUnfinishedCopy(connected())) == true { return .unfinishedCopy }
        for suffix in ["-wal", "-journal"] {
            var journal = stat()
            if stat(path + suffix, &journal) == 0, journal.st_size > 0 { return .hasJournal }
        }
        return bytes > LedgerInspection.limit ? .long : content
    }

    private func connected() throws(EngineError) -> SQLiteConnection {
        try SQLiteConnection(path: path, access: .frozen, lockTimeout: .zero)
    }

    private var content: State {
        do throws(EngineError) {
            let connection = try connected()
            let answer = try connection.prepare("PRAGMA quick_check(1)").first { $0.text() }
            guard answer == "ok" else { return .damaged }
            return try SQLiteSchema.isLedger(connection) ? .whole : .foreign
        } catch {
            return error.isDamage ? .damaged : .unreadable(error.message)
        }
    }
}
