internal import CSQLite

/// What SQLite refused: the extended result code, its message, and the statement. Bound values never appear in it.
public struct SQLiteError: Error, Equatable, CustomStringConvertible {
    /// https://www.sqlite.org/rescode.html
    let extendedCode: Int32
    public let message: String
    let sql: String

    init(extendedCode: Int32, message: String, sql: String) {
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
    }

    /// A query returned other rows than it was asked for. Asking again would return the same.
    static let unanswered = SQLiteError(
        extendedCode: SQLITE_MISMATCH,
        message: "a query returned other rows than it was asked for",
        sql: ""
    )

    /// The connection's last error.
    init(of connection: OpaquePointer?, sql: String) {
        extendedCode = sqlite3_extended_errcode(connection)
        message = String(cString: sqlite3_errmsg(connection))
        self.sql = sql
    }

    var code: Int32 { extendedCode & 0xFF }

    /// Another process holds the lock.
    public var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }

    /// True when the failure is not the statement's fault, and leaving the statement out would not cure it: the disk is
    /// full, unreadable, damaged or read-only.
    public var isOfTheDisk: Bool {
        isOfTheContent || [SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY, SQLITE_NOMEM, SQLITE_CANTOPEN].contains(code)
    }

    /// The file does not hold what was written to it.
    public var isOfTheContent: Bool { code == SQLITE_CORRUPT || code == SQLITE_NOTADB }

    /// What to do about a failure that concerns every command.
    public var advice: String {
        switch code {
        case SQLITE_FULL: "its disk is full, nothing can be committed: make room"
        case SQLITE_READONLY, SQLITE_CANTOPEN:
            "it cannot be written (\(message)): check its owner, its mode and how its disk is mounted"
        case SQLITE_BUSY, SQLITE_LOCKED: "another process has locked it: find that process with fuser, and end it"
        case SQLITE_CORRUPT, SQLITE_NOTADB: SQLiteError.damage
        case SQLITE_IOERR:
            "its disk reports an error (\(message), \(extendedCode)): check its quota, its limits and the kernel's log"
        default: description
        }
    }

    public static let damage = "it is damaged, so nothing is committed any more: stop the server and restore a backup"

    public var description: String {
        "SQLite error \(extendedCode): \(message)" + (sql.isEmpty ? "" : " (in: \(sql))")
    }
}
