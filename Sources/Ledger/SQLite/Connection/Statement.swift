internal import CSQLite

/// One prepared statement of one connection: reset, and its bindings cleared, after each use.
///
/// A class, because a struct of noncopyable members cannot have an initializer that fails half-way. Used by its
/// connection's thread only.
public final class Statement {
    private let handle: OpaquePointer
    private let connection: OpaquePointer
    let sql: String

    init(_ sql: String, on connection: OpaquePointer) throws(SQLiteError) {
        var handle: OpaquePointer?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let status = sqlite3_prepare_v3(connection, sql, -1, flags, &handle, nil)
        guard status == SQLITE_OK, let handle else { throw SQLiteError(of: connection, sql: sql) }
        self.handle = handle
        self.connection = connection
        self.sql = sql
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Runs it for its effect.
    public func run(_ values: [Value] = []) throws(SQLiteError) {
        try bind(values)
        defer { clear() }
        while try step() {}
    }

    /// Runs it for its effect, with `body` as the last parameter, which is not copied.
    func run(_ values: [Value] = [], body: borrowing [UInt8]) throws(SQLiteError) {
        try bind(values)
        defer { clear() }
        let index = Int32(values.count + 1)
        let failure = body.withUnsafeBytes { bytes -> SQLiteError? in
            // An empty body has no address, and a null address would bind NULL.
            let status =
                bytes.isEmpty
                ? sqlite3_bind_zeroblob(handle, index, 0)
                : sqlite3_bind_blob64(handle, index, bytes.baseAddress, UInt64(bytes.count), nil)
            guard status == SQLITE_OK else { return SQLiteError(of: connection, sql: sql) }
            do throws(SQLiteError) {
                while try step() {}
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// The first row.
    public func first<Result>(
        _ values: [Value] = [],
        read: (Row) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> Result? {
        try bind(values)
        defer { clear() }
        return try step() ? try read(Row(handle, sql: sql)) : nil
    }

    public func all<Result>(
        _ values: [Value] = [],
        read: (Row) throws(SQLiteError) -> Result
    ) throws(SQLiteError) -> [Result] {
        try bind(values)
        defer { clear() }
        var results: [Result] = []
        while try step() { results.append(try read(Row(handle, sql: sql))) }
        return results
    }

    /// How often it was run: a test counts questions.
    var runs: Int { Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_RUN, 0)) }

    private func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(handle) {
        case SQLITE_ROW: true
        case SQLITE_DONE: false
        default: throw SQLiteError(of: connection, sql: sql)
        }
    }

    private func clear() {
        // The result repeats the step's error, which was thrown already.
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    private func bind(_ values: [Value]) throws(SQLiteError) {
        for (index, value) in values.enumerated() {
            guard bind(value, at: Int32(index + 1)) == SQLITE_OK else {
                let error = SQLiteError(of: connection, sql: sql)
                clear()
                throw error
            }
        }
    }

    private func bind(_ value: Value, at index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .integer(let number): return sqlite3_bind_int64(handle, index, number)
        case .text(let text):
            let length = UInt64(text.utf8.count)
            return sqlite3_bind_text64(handle, index, text, length, transient, UInt8(SQLITE_UTF8))
        }
    }
}

/// `SQLITE_TRANSIENT`, a cast that Swift does not import: SQLite copies before the call returns.
private let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
