import Domain

/// The current row of a running statement. Valid only inside the closure that receives it.
///
/// A column is read by its number, or the columns one after the other, in the order of the list that the statement selects.
public struct Row {
    private let statement: any PreparedStatement
    /// The column that is read next.
    private var column: Int32 = 0

    init(_ statement: any PreparedStatement) {
        self.statement = statement
    }

    public func isNull(_ column: Int32) -> Bool { statement.isNull(column) }
    public func integer(_ column: Int32) -> Int64 { statement.integer(column) }
    public func text(_ column: Int32) -> String { statement.text(column) ?? "" }
    public func bytes(_ column: Int32) -> [UInt8] { statement.bytes(column) }
}

/// One column after the other.
extension Row {
    private mutating func advance() -> Int32 {
        defer { column += 1 }
        return column
    }

    /// Skips a group of columns that are null together; false if the first one is not null.
    mutating func skips(_ count: Int32) -> Bool {
        guard isNull(column) else { return false }
        column += count
        return true
    }

    mutating func skip() { column += 1 }

    mutating func isNull() -> Bool { isNull(advance()) }
    mutating func integer() -> Int64 { integer(advance()) }
    mutating func optionalInteger() -> Int64? { skips(1) ? nil : integer() }
    mutating func flag() -> Bool { integer() != 0 }
    mutating func optionalFlag() -> Bool? { skips(1) ? nil : flag() }
    mutating func instant() -> Instant { Instant(milliseconds: integer()) }
    mutating func optionalInstant() -> Instant? { skips(1) ? nil : instant() }
    mutating func text() -> String { optionalText() ?? "" }
    mutating func optionalText() -> String? { statement.text(advance()) }
    mutating func user() -> UserID { UserID(text()) }
    mutating func optionalUser() -> UserID? { optionalText().map { UserID($0) } }
    mutating func word<Word: RawRepresentable<String>>() throws(EngineError) -> Word {
        try parsed { Word(rawValue: $0) }
    }
    mutating func optionalWord<Word: RawRepresentable<String>>() throws(EngineError) -> Word? {
        skips(1) ? nil : try word()
    }

    /// Fails for a text that no version of the ledger writes.
    mutating func parsed<Value>(_ parse: (String) -> Value?) throws(EngineError) -> Value {
        let column = advance()
        guard let value = parse(text(column)) else { throw unreadable(column) }
        return value
    }

    /// Reads `StoredBody.columns`. Nil where the column is NULL.
    mutating func body() throws(EngineError) -> [UInt8]? {
        let (body, header) = (advance(), advance())
        guard !isNull(body) else { return nil }
        let stored = StoredBody(bytes: bytes(body), header: isNull(header) ? nil : bytes(header))
        do { return try stored.body() } catch { throw unreadable(body) }
    }

    /// Reads what was stored with `StoredBody.init(compressing:)`. Fails for a content that no version of the ledger writes.
    mutating func packed<Content>(_ parse: ([UInt8]) -> Content?) throws(EngineError) -> Content {
        let column = advance()
        let body = try? StoredBody(bytes: bytes(column), header: nil).body()
        guard let content = body.flatMap(parse) else { throw unreadable(column) }
        return content
    }

    /// The error for a value that no version of the ledger writes.
    private func unreadable(_ column: Int32) -> EngineError {
        EngineError(
            .statement,
            code: "ledger error",
            message: "unreadable value in column \(statement.name(of: column))",
            sql: statement.sql
        )
    }
}
