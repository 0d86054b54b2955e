import CPostgres

/// The owner of libpq's result.
final class ResultHandle {
    let pointer: OpaquePointer?

    init(_ pointer: OpaquePointer?) {
        self.pointer = pointer
    }

    deinit {
        PQclear(pointer)
    }

    var status: ExecStatusType { PQresultStatus(pointer) }

    /// The command tag: `COMMIT`, `INSERT 0 1`.
    var tag: String { PQcmdStatus(pointer).map { String(cString: $0) } ?? "" }
}

/// The answer to a queued query. Everything that is queued is answered in one round trip.
final class PostgresAnswer {
    private let sql: String
    /// Its queue refers to this answer.
    private weak var connection: PostgresConnection?
    private var result: Result<ResultHandle, EngineError>?
    /// The rows of a query that asks for many runs of another one, by the run's number.
    private var runs: (rows: PostgresResult, indices: [Int: [Int]])?

    init(to sql: String, on connection: PostgresConnection? = nil) {
        self.sql = sql
        self.connection = connection
    }

    var isPending: Bool { result == nil }

    func fill(_ result: Result<ResultHandle, EngineError>) { self.result = result }

    /// The command tag; nil if the command failed or was not answered.
    var tag: String? { try? result?.get().tag }

    /// Waits, unless the rows have already arrived with those of another query.
    func take() throws(EngineError) -> PostgresResult {
        if isPending { try connection?.synchronize() }
        guard let result else { throw EngineError(.statement, "a result was taken before it was waited for") }
        return PostgresResult(try result.get(), sql: sql)
    }

    /// The rows of one run, whose number is in the last column; nil stands for all rows.
    func take(run number: Int?) throws(EngineError) -> PostgresResult {
        guard let number else { return try take() }
        if let runs { return runs.rows.part(runs.indices[number] ?? []) }
        let rows = try take()
        let column = Int32(rows.columns - 1)
        let indices = Dictionary(grouping: 0..<rows.count) { Int(rows[$0].integer(column)) }
        runs = (rows, indices)
        return rows.part(indices[number] ?? [])
    }
}

/// The rows of a query, kept as long as somebody refers to them.
final class PostgresResult {
    private let handle: ResultHandle
    let sql: String
    /// Which of the query's rows; nil for all of them.
    private let indices: [Int]?
    /// The first column that was read as a type that it does not have.
    fileprivate(set) var unreadable: EngineError?

    init(_ handle: ResultHandle, sql: String, indices: [Int]? = nil) {
        self.handle = handle
        self.sql = sql
        self.indices = indices
    }

    /// Some of its rows.
    func part(_ indices: [Int]) -> PostgresResult { PostgresResult(handle, sql: sql, indices: indices) }

    var count: Int { indices?.count ?? Int(PQntuples(handle.pointer)) }

    var columns: Int { Int(PQnfields(handle.pointer)) }

    /// `index` is less than `count`.
    subscript(index: Int) -> PostgresRow { PostgresRow(result: self, index: Int32(indices?[index] ?? index)) }

    /// Throws if a column was read as a type that it does not have.
    func check() throws(EngineError) {
        if let unreadable { throw unreadable }
    }

    func name(of column: Int32) -> String {
        PQfname(handle.pointer, column).map { String(cString: $0) } ?? "\(column)"
    }

    fileprivate func type(of column: Int32) -> Oid { PQftype(handle.pointer, column) }

    /// Nil for NULL, and for a row or a column that does not exist.
    fileprivate func value(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer? {
        // libpq prints a warning to stderr if it is asked for a row or a column that does not exist.
        guard row >= 0, row < PQntuples(handle.pointer), column >= 0, column < PQnfields(handle.pointer) else {
            return nil
        }
        guard PQgetisnull(handle.pointer, row, column) == 0 else { return nil }
        return UnsafeRawBufferPointer(
            start: PQgetvalue(handle.pointer, row, column),
            count: Int(PQgetlength(handle.pointer, row, column))
        )
    }
}

/// One row. A value that is read as another type becomes 0 or empty, and `PostgresResult.check` reports it.
struct PostgresRow {
    fileprivate let result: PostgresResult
    fileprivate let index: Int32

    func isNull(_ column: Int32) -> Bool { result.value(index, column) == nil }

    /// Reads any whole number, or a Boolean; 0 for NULL.
    func integer(_ column: Int32) -> Int64 {
        guard let bytes = result.value(index, column) else { return 0 }
        let unsigned = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        switch (result.type(of: column), bytes.count) {
        case (TypeID.bool, 1), (TypeID.oid, 4), (TypeID.xid8, 8): return Int64(truncatingIfNeeded: unsigned)
        case (TypeID.int2, 2): return Int64(Int16(truncatingIfNeeded: unsigned))
        case (TypeID.int4, 4): return Int64(Int32(truncatingIfNeeded: unsigned))
        case (TypeID.int8, 8): return Int64(bitPattern: unsigned)
        default:
            refuse(column, as: "a whole number (CAST it to BIGINT)")
            return 0
        }
    }

    func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    /// Nil for NULL.
    func optionalText(_ column: Int32) -> String? {
        guard let bytes = result.value(index, column) else { return nil }
        guard TypeID.texts.contains(result.type(of: column)) else {
            refuse(column, as: "a text (CAST it to TEXT)")
            return nil
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Those of a text as well; empty for NULL.
    func bytes(_ column: Int32) -> [UInt8] {
        guard let bytes = result.value(index, column) else { return [] }
        guard TypeID.bytea == result.type(of: column) || TypeID.texts.contains(result.type(of: column)) else {
            refuse(column, as: "bytes")
            return []
        }
        return Array(bytes)
    }

    private func refuse(_ column: Int32, as what: String) {
        guard result.unreadable == nil else { return }
        let message = "column \(result.name(of: column)) is not \(what)"
        result.unreadable = EngineError(.statement, message, sql: result.sql)
    }
}

/// https://github.com/postgres/postgres/blob/REL_15_STABLE/src/include/catalog/pg_type.dat
private enum TypeID {
    static let bool: Oid = 16
    static let bytea: Oid = 17
    static let int8: Oid = 20
    static let int2: Oid = 21
    static let int4: Oid = 23
    static let oid: Oid = 26
    static let xid8: Oid = 5069
    /// name, text, unknown, character, varchar
    static let texts: [Oid] = [19, 25, 705, 1042, 1043]
}
