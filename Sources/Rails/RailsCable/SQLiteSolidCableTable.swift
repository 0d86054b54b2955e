import Ledger

/// Solid Cable's table in a file that the app writes, and Paycast never does.
///
/// While the app has a file with a write-ahead log open, an index of the log lies beside it (`-shm`), through which
/// readers and writers agree. While nobody has the file open, the index is missing. This creates none, and reads the file
/// as it is.
final class SQLiteSolidCableTable: SolidCableTable {
    private struct Session {
        let file: SolidCableFile
        let connection: SQLiteConnection
    }

    private let path: String
    /// SQLite waits so long for a writer, and is asked again soon.
    private static let lockTimeout = Duration.milliseconds(250)
    private var session: Session?
    /// Which file the last answer came from.
    private var answered: SolidCableFile?

    init(path: String) {
        self.path = path
    }

    func head() throws(RailsCableProblem) -> SolidCableHead {
        let sql = "SELECT id, CAST(created_at AS TEXT) FROM solid_cable_messages ORDER BY id DESC LIMIT 1"
        let newest = try reading { connection throws(EngineError) in
            try connection.prepare(sql).first { row in (id: row.integer(0), created: row.text(1)) }
        }
        return SolidCableHead(ids: newest.result.map { [$0.id] } ?? [], created: newest.result?.created, snapshot: nil)
    }

    func rows(_ question: SolidCableQuestion) throws(RailsCableProblem) -> SolidCablePage {
        let answer = try reading { connection throws(EngineError) in
            // One moment for all three.
            try connection.execute("BEGIN")
            defer { try? connection.execute("COMMIT") }
            return try SQLiteSolidCableTable.page(question, in: connection)
        }
        var page = answer.result
        page.isReplaced = answer.isReplaced
        return page
    }

    private static func page(
        _ question: SolidCableQuestion,
        in connection: SQLiteConnection
    ) throws(EngineError) -> SolidCablePage {
        let id = question.after
        let table = "FROM solid_cable_messages"
        var page = SolidCablePage()
        page.newest = try connection.prepare("SELECT id \(table) ORDER BY id DESC LIMIT 1").first { row in
            row.integer(0)
        }
        page.anchor = try connection.prepare("SELECT CAST(created_at AS TEXT) \(table) WHERE id = ?")
            .first([.integer(id)]) { row in row.text(0) }
        guard let newest = page.newest, newest > id else { return page }
        let columns = """
            id, \(bytes(of: "channel", limit: SolidCableLimits.channel)),
            \(bytes(of: "payload", limit: SolidCableLimits.payload)), CAST(created_at AS TEXT)
            """
        page.rows = try connection.prepare("SELECT \(columns) \(table) WHERE id > ? ORDER BY id LIMIT ?")
            .all([.integer(id), .integer(Int64(question.limit))]) { row in
                SolidCableRow(
                    id: row.integer(0),
                    channel: row.bytes(1),
                    payload: row.isNull(2) ? nil : row.bytes(2),
                    created: row.text(3)
                )
            }
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
    private func reading<Result>(
        _ body: (SQLiteConnection) throws(EngineError) -> Result
    ) throws(RailsCableProblem) -> (result: Result, isReplaced: Bool) {
        guard let file = SolidCableFile(path) else {
            session = nil
            throw .missingFile
        }
        // SQLite would go on reading the old file, wherever it is by now.
        if session?.file.isSame(as: file) == false { session = nil }
        // SQLite would create a log beside a file that has none.
        let isClosed = !file.hasIndex && SolidCableFile.hasWriteAheadLog(path)
        if isClosed { session = nil }
        let result = isClosed ? try readingClosed(file, body) : try readingOpen(file, body)
        guard let result else { throw .missingTable }
        defer { answered = file }
        return (result, answered?.isSame(as: file) == false)
    }

    private func readingOpen<Result>(
        _ file: SolidCableFile,
        _ body: (SQLiteConnection) throws(EngineError) -> Result
    ) throws(RailsCableProblem) -> Result? {
        do throws(EngineError) {
            let connection = try opened()
            session = Session(file: file, connection: connection)
            guard try SQLiteSolidCableTable.hasTable(connection) else { return nil }
            return try body(connection)
        } catch {
            // A lock ends by itself; anything else may be of this session, or of the file that it opened.
            if !error.isBusy { session = nil }
            throw RailsCableProblem(error)
        }
    }

    private func opened() throws(EngineError) -> SQLiteConnection {
        if let session { return session.connection }
        return try SQLiteConnection(
            path: path,
            access: .besideAnotherWriter,
            lockTimeout: SQLiteSolidCableTable.lockTimeout
        )
    }

    /// Reads a file whose write-ahead log nobody has open, as it is. What somebody begins to write meanwhile could be read
    /// half; then nothing of it counts.
    private func readingClosed<Result>(
        _ file: SolidCableFile,
        _ body: (SQLiteConnection) throws(EngineError) -> Result
    ) throws(RailsCableProblem) -> Result? {
        let result: Result?
        do throws(EngineError) {
            let connection = try SQLiteConnection(path: path, access: .frozen, lockTimeout: .zero)
            if try SQLiteSolidCableTable.hasTable(connection) { result = try body(connection) } else { result = nil }
        } catch {
            guard SolidCableFile(path) == file else { throw .busy }
            throw RailsCableProblem(error)
        }
        guard SolidCableFile(path) == file else { throw .busy }
        return result
    }

    private static func hasTable(_ connection: SQLiteConnection) throws(EngineError) -> Bool {
        let sql = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'solid_cable_messages'"
        return try connection.prepare(sql).first { _ in true } ?? false
    }
}

extension RailsCableProblem {
    fileprivate init(_ error: EngineError) {
        let todo = "check its owner and its mode, and look at the app's log"
        self = error.isBusy ? .busy : .unreadable("SQLite cannot read it (\(error.message)): \(todo)")
    }
}
