import CSQLite

/// SQLite's extended result code, its message, and the statement (https://www.sqlite.org/rescode.html).
extension EngineError {
    /// The connection's last error.
    init(of connection: OpaquePointer?, sql: String) {
        let extendedCode = sqlite3_extended_errcode(connection)
        let message = String(cString: sqlite3_errmsg(connection))
        let code = extendedCode & 0xFF
        self.init(
            EngineError.kind(of: code),
            code: "SQLite error \(extendedCode)",
            message: message,
            sql: sql,
            advice: EngineError.advice(for: code, extended: extendedCode, message: message)
        )
    }

    private static func kind(of code: Int32) -> Kind {
        switch code {
        case SQLITE_BUSY, SQLITE_LOCKED: .busy
        case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged
        case SQLITE_FULL, SQLITE_IOERR, SQLITE_READONLY, SQLITE_NOMEM, SQLITE_CANTOPEN: .unusable
        default: .statement
        }
    }

    private static func advice(for code: Int32, extended: Int32, message: String) -> String? {
        switch code {
        case SQLITE_FULL: "its disk is full, nothing can be committed: make room"
        case SQLITE_READONLY, SQLITE_CANTOPEN:
            "it cannot be written (\(message)): check its owner, its mode and how its disk is mounted"
        case SQLITE_BUSY, SQLITE_LOCKED: "another process has locked it: find that process with fuser, and end it"
        case SQLITE_CORRUPT, SQLITE_NOTADB: damage
        case SQLITE_IOERR:
            "its disk reports an error (\(message), \(extended)): check its quota, its limits and the kernel's log"
        default: nil
        }
    }

    static let damage = "it is damaged, so nothing is committed any more: stop the server and restore a backup"
}
