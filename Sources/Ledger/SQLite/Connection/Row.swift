internal import CSQLite
internal import Domain

/// The current row of a running statement. Valid only inside the closure that receives it.
public struct Row {
    private let handle: OpaquePointer
    private let sql: String

    init(_ handle: OpaquePointer, sql: String) {
        self.handle = handle
        self.sql = sql
    }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func flag(_ column: Int32) -> Bool { integer(column) != 0 }

    func optionalFlag(_ column: Int32) -> Bool? { isNull(column) ? nil : flag(column) }

    func instant(_ column: Int32) -> Instant { Instant(milliseconds: integer(column)) }

    func optionalInstant(_ column: Int32) -> Instant? { isNull(column) ? nil : instant(column) }

    public func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    func user(_ column: Int32) -> UserID { UserID(text(column)) }

    func optionalUser(_ column: Int32) -> UserID? { optionalText(column).map { UserID($0) } }

    func optionalText(_ column: Int32) -> String? {
        guard let start = sqlite3_column_text(handle, column) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    func word<Word: RawRepresentable<String>>(_ column: Int32) throws(SQLiteError) -> Word {
        guard let word = Word(rawValue: text(column)) else { throw unreadable(column) }
        return word
    }

    func optionalWord<Word: RawRepresentable<String>>(_ column: Int32) throws(SQLiteError) -> Word? {
        isNull(column) ? nil : try word(column)
    }

    /// The error for a value that no version of the ledger writes.
    func unreadable(_ column: Int32) -> SQLiteError {
        let name = sqlite3_column_name(handle, column).map { String(cString: $0) } ?? "\(column)"
        return SQLiteError(extendedCode: SQLITE_MISMATCH, message: "unreadable value in column \(name)", sql: sql)
    }
}
