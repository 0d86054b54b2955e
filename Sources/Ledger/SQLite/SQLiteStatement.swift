import CSQLite

/// One prepared statement of one connection: reset, and its bindings cleared, after each use.
final class SQLiteStatement: PreparedStatement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer
    let sql: String

    init(_ sql: String, on connection: OpaquePointer) throws(EngineError) {
        var handle: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let status = sqlite3_prepare_v3(connection, sql, -1, flags, &handle, nil)
        guard status == SQLITE_OK, let handle else { throw EngineError(of: connection, sql: sql) }
        self.handle = handle
        self.connection = connection
        self.sql = sql
    }

    deinit {
        sqlite3_finalize(handle)
    }

    func start(_ values: [Value], body: UnsafeRawBufferPointer?) throws(EngineError) {
        for (index, value) in values.enumerated() {
            guard bind(value, at: Int32(index + 1)) == SQLITE_OK else { throw failure() }
        }
        guard let body else { return }
        let index = Int32(values.count + 1)
        // An empty body has no address, and a null address would bind NULL.
        let status =
            body.isEmpty
            ? sqlite3_bind_zeroblob(handle, index, 0)
            : sqlite3_bind_blob64(handle, index, body.baseAddress, UInt64(body.count), nil)
        guard status == SQLITE_OK else { throw failure() }
    }

    func next() throws(EngineError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: true
        case SQLITE_DONE: false
        default: throw EngineError(of: connection, sql: sql)
        }
    }

    func complete() throws(EngineError) { while try next() {} }

    func reset() {
        // The result repeats the step's error, which was thrown already.
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    func text(_ column: Int32) -> String? {
        guard let start = sqlite3_column_text(handle, column) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let start = sqlite3_column_blob(handle, column) else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, column))))
    }

    func name(of column: Int32) -> String {
        sqlite3_column_name(handle, column).map { String(cString: $0) } ?? "\(column)"
    }

    private func failure() -> EngineError {
        let error = EngineError(of: connection, sql: sql)
        reset()
        return error
    }

    private func bind(_ value: Value, at index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .integer(let number): return sqlite3_bind_int64(handle, index, number)
        case .text(let text):
            let length = UInt64(text.utf8.count)
            return sqlite3_bind_text64(handle, index, text, length, transient, UInt8(SQLITE_UTF8))
        case .bytes(let bytes):
            guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
            return sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), transient)
        }
    }
}

/// `SQLITE_TRANSIENT`, a cast that Swift does not import: SQLite copies before the call returns.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
