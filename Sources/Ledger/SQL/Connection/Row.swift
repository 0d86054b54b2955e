import Domain

/// The current row of a running statement. Valid only inside the closure that receives it.
public struct Row {
    private let statement: any PreparedStatement

    init(_ statement: any PreparedStatement) {
        self.statement = statement
    }

    public func isNull(_ column: Int32) -> Bool { statement.isNull(column) }

    public func integer(_ column: Int32) -> Int64 { statement.integer(column) }

    func optionalInteger(_ column: Int32) -> Int64? { isNull(column) ? nil : integer(column) }

    func flag(_ column: Int32) -> Bool { integer(column) != 0 }

    func optionalFlag(_ column: Int32) -> Bool? { isNull(column) ? nil : flag(column) }

    func instant(_ column: Int32) -> Instant { Instant(milliseconds: integer(column)) }

    func optionalInstant(_ column: Int32) -> Instant? { isNull(column) ? nil : instant(column) }

    public func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    func user(_ column: Int32) -> UserID { UserID(text(column)) }

    func optionalUser(_ column: Int32) -> UserID? { optionalText(column).map { UserID($0) } }

    func optionalText(_ column: Int32) -> String? { statement.text(column) }

    public func bytes(_ column: Int32) -> [UInt8] { statement.bytes(column) }

    func word<Word: RawRepresentable<String>>(_ column: Int32) throws(EngineError) -> Word {
        guard let word = Word(rawValue: text(column)) else { throw unreadable(column) }
        return word
    }

    func optionalWord<Word: RawRepresentable<String>>(_ column: Int32) throws(EngineError) -> Word? {
        isNull(column) ? nil : try word(column)
    }

    /// The error for a value that no version of the ledger writes.
    func unreadable(_ column: Int32) -> EngineError {
        EngineError(
            .statement,
            code: "ledger error",
            message: "unreadable value in column \(statement.name(of: column))",
            sql: statement.sql
        )
    }
}

/// Reads a row's columns one after the other, in the order of the list that the statement selects.
struct RowReader {
    private let row: Row
    private var column: Int32

    init(_ row: Row, from column: Int32 = 0) {
        self.row = row
        self.column = column
    }

    /// Skips a group of columns that are null together; false if the first one is not null.
    mutating func skips(_ count: Int32) -> Bool {
        guard row.isNull(column) else { return false }
        column += count
        return true
    }

    mutating func skip() { column += 1 }

    mutating func integer() -> Int64 { row.integer(advance()) }
    mutating func optionalInteger() -> Int64? { row.optionalInteger(advance()) }
    mutating func flag() -> Bool { row.flag(advance()) }
    mutating func optionalFlag() -> Bool? { row.optionalFlag(advance()) }
    mutating func instant() -> Instant { row.instant(advance()) }
    mutating func optionalInstant() -> Instant? { row.optionalInstant(advance()) }
    mutating func text() -> String { row.text(advance()) }
    mutating func optionalText() -> String? { row.optionalText(advance()) }
    mutating func user() -> UserID { row.user(advance()) }
    mutating func optionalUser() -> UserID? { row.optionalUser(advance()) }
    /// Reads `StoredBody.columns`. Nil where the column is NULL.
    mutating func body() throws(EngineError) -> [UInt8]? {
        let (body, header) = (advance(), advance())
        guard !row.isNull(body) else { return nil }
        let stored = StoredBody(bytes: row.bytes(body), header: row.isNull(header) ? nil : row.bytes(header))
        do { return try stored.body() } catch { throw row.unreadable(body) }
    }
    /// Reads what was stored with `StoredBody.init(compressing:)`. Fails for a content that no version of the ledger writes.
    mutating func packed<Content>(_ parse: ([UInt8]) -> Content?) throws(EngineError) -> Content {
        let column = advance()
        let body = try? StoredBody(bytes: row.bytes(column), header: nil).body()
        guard let content = body.flatMap(parse) else { throw row.unreadable(column) }
        return content
    }
    mutating func word<Word: RawRepresentable<String>>() throws(EngineError) -> Word { try row.word(advance()) }
    mutating func optionalWord<Word: RawRepresentable<String>>() throws(EngineError) -> Word? {
        try row.optionalWord(advance())
    }

    /// Fails for a text that no version of the ledger writes.
    mutating func parsed<Value>(_ parse: (String) -> Value?) throws(EngineError) -> Value {
        let column = advance()
        guard let value = parse(row.text(column)) else { throw row.unreadable(column) }
        return value
    }

    private mutating func advance() -> Int32 {
        defer { column += 1 }
        return column
    }
}
