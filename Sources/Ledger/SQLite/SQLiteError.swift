internal import CSQLite

/// What SQLite refused: extended result code, its message, and the statement. Bound values never appear in it.
struct SQLiteError: Error, Equatable, CustomStringConvertible {
    /// https://www.sqlite.org/rescode.html
    let extendedCode: Int32
    let message: String
    let sql: String

    init(extendedCode: Int32, message: String, sql: String) {
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
    }

    /// The connection's last error.
    init(of connection: OpaquePointer?, sql: String) {
        extendedCode = sqlite3_extended_errcode(connection)
        message = String(cString: sqlite3_errmsg(connection))
        self.sql = sql
    }

    var code: Int32 { extendedCode & 0xFF }

    /// Another process holds the lock.
    var isBusy: Bool { code == SQLITE_BUSY || code == SQLITE_LOCKED }

    /// Not the statement's fault, nor curable by leaving it out: full, unreadable or read-only.
    var isOfTheDisk: Bool { [SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY, SQLITE_NOMEM].contains(code) }

    var description: String {
        "SQLite error \(extendedCode): \(message)" + (sql.isEmpty ? "" : " (in: \(sql))")
    }
}
