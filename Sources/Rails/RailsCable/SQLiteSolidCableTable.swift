import Glibc
import Ledger
import Support

/// Solid Cable's table in a file that the app writes, and Paycast never does.
///
/// While the app has a file with a write-ahead log open, an index of the log lies beside it (`-shm`), through which
/// readers and writers agree. While nobody has the file open, the index is missing. This creates none, and reads the file
/// as it is.
final class SQLiteSolidCableTable: SolidCableTable {
    private let path: String
    /// SQLite waits so long for a writer, and is asked again soon.
    private static let lockTimeout = Duration.milliseconds(250)
    private static let sql = SolidCableSQL(
        channel: bytes(of: "channel", limit: SolidCableLimits.channel),
        payload: bytes(of: "payload", limit: SolidCableLimits.payload)
    )
    private var session: (file: FileVersion, connection: SQLiteConnection)?
    /// Which file the last answer came from.
    private var answered: FileVersion?

    init(path: String) {
        self.path = path
    }

    func page(_ question: SolidCableQuestion?) throws(BroadcastProblem) -> SolidCablePage {
        guard let file = SolidCableFile(path) else {
            session = nil
            throw .missingFile
        }
        // SQLite would go on reading the old file, wherever it is by now.
        if session?.file.isSameFile(as: file.version) == false { session = nil }
        // SQLite would create a log beside a file that has none.
        let isClosed = !file.hasIndex && SolidCableFile.hasWriteAheadLog(path)
        if isClosed { session = nil }
        let page = try isClosed ? closedPage(of: file, question) : openPage(of: file, question)
        guard var page else { throw .missingTable }
        page.isReplaced = answered?.isSameFile(as: file.version) == false
        answered = file.version
        return page
    }

    private static func page(
        _ question: SolidCableQuestion?,
        in connection: SQLiteConnection
    ) throws(EngineError) -> SolidCablePage? {
        let table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'solid_cable_messages'"
        guard try connection.prepare(table).first(read: { _ in true }) == true else { return nil }
        // Rows become visible in the order of their ids: the newest one tells where the table ends.
        let values: [Value] = question.map { [.integer($0.after), .integer(Int64($0.limit))] } ?? [.integer(1)]
        var page = SolidCablePage()
        let statement = try connection.prepare(question == nil ? sql.head : sql.rows)
        _ = try statement.all(values) { row in page.add(row, to: question) }
        return page
    }

    /// A blob's length is known without reading it. Before version 3 of Solid Cable, the columns were texts.
    private static func bytes(of column: String, limit: Int) -> String {
        let blob = "CAST(\(column) AS BLOB)"
        let length = "CASE typeof(\(column)) WHEN 'blob' THEN length(\(column)) ELSE length(\(blob)) END"
        return "CASE WHEN \(length) <= \(limit) THEN \(blob) END"
    }
}

/// The file behind it.
extension SQLiteSolidCableTable {
    private func openPage(
        of file: SolidCableFile,
        _ question: SolidCableQuestion?
    ) throws(BroadcastProblem) -> SolidCablePage? {
        do throws(EngineError) {
            let connection =
                if let session { session.connection } else {
                    try SQLiteConnection(
                        path: path,
                        access: .besideAnotherWriter,
                        lockTimeout: SQLiteSolidCableTable.lockTimeout
                    )
                }
            session = (file.version, connection)
            return try SQLiteSolidCableTable.page(question, in: connection)
        } catch {
            // A lock ends by itself; anything else may be of this session, or of the file that it opened.
            if !error.isBusy { session = nil }
            throw SQLiteSolidCableTable.problem(of: error)
        }
    }

    /// Reads a file whose write-ahead log nobody has open, as it is. What somebody begins to write meanwhile could be read
    /// half; then nothing of it counts.
    private func closedPage(
        of file: SolidCableFile,
        _ question: SolidCableQuestion?
    ) throws(BroadcastProblem) -> SolidCablePage? {
        let page = Result { () throws(EngineError) in
            let connection = try SQLiteConnection(path: path, access: .frozen, lockTimeout: .zero)
            return try SQLiteSolidCableTable.page(question, in: connection)
        }
        guard SolidCableFile(path) == file else { throw .busy }
        return try page.mapError(SQLiteSolidCableTable.problem).get()
    }

    private static func problem(of error: EngineError) -> BroadcastProblem {
        guard !error.isBusy else { return .busy }
        let todo = "check its owner and its mode, and look at the app's log"
        return BroadcastProblem("SQLite cannot read it (\(error.message)): \(todo)")
    }
}

/// The state of the app's file, to notice that another one has taken its place, or that somebody writes it.
struct SolidCableFile: Equatable {
    let version: FileVersion
    /// Whether somebody has its write-ahead log open, or had it until a crash.
    let hasIndex: Bool

    /// Nil when it is not there.
    init?(_ path: String) {
        guard let version = FileVersion(path) else { return nil }
        self.version = version
        hasIndex = access(path + "-shm", F_OK) == 0
    }

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
