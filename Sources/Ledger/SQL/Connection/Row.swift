internal import Domain

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
