public import Domain

/// A statement of an engine's connection, and the rows of its current run. Used by its connection's thread only.
protocol PreparedStatement: AnyObject {
    var sql: String { get }

    /// Starts a run. `body` is the last parameter, which outlives the run.
    func start(_ values: [Value], body: UnsafeRawBufferPointer?) throws(EngineError)
    /// Goes to the next row. Returns false after the last one.
    func next() throws(EngineError) -> Bool
    /// Throws if a column of the run was read as a type that it does not have.
    func check() throws(EngineError)
    /// Ends a run that returns no rows. A distant engine may report a failure later, at the latest with its COMMIT.
    func complete() throws(EngineError)
    /// Discards the run, however many rows it has read.
    func reset()

    func isNull(_ column: Int32) -> Bool
    func integer(_ column: Int32) -> Int64
    /// Nil for NULL.
    func text(_ column: Int32) -> String?
    func bytes(_ column: Int32) -> [UInt8]
    func name(of column: Int32) -> String
}

extension PreparedStatement {
    func check() throws(EngineError) {}
}

/// Ways to run a prepared statement. The rows of a statement are read in the module of its SQL, so that the compiler
/// sees both.
public struct Statement {
    let prepared: any PreparedStatement

    init(_ prepared: any PreparedStatement) {
        self.prepared = prepared
    }

    /// Runs it without reading rows.
    public func run(_ values: [Value] = []) throws(EngineError) {
        try prepared.start(values, body: nil)
        defer { prepared.reset() }
        try prepared.complete()
    }

    /// Runs it without reading rows, with `body` as the last parameter, which is not copied.
    func run(_ values: [Value] = [], body: borrowing [UInt8]) throws(EngineError) {
        let failure = body.withUnsafeBytes { bytes -> EngineError? in
            do throws(EngineError) {
                try prepared.start(values, body: bytes)
                defer { prepared.reset() }
                try prepared.complete()
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// The first row.
    @discardableResult
    public func first<Result>(
        _ values: [Value] = [],
        read: (inout Row) throws(EngineError) -> Result
    ) throws(EngineError) -> Result? {
        try prepared.start(values, body: nil)
        defer { prepared.reset() }
        guard try prepared.next() else { return nil }
        var row = Row(prepared)
        let result = try read(&row)
        try prepared.check()
        return result
    }

    /// Reads rows until `read` returns false. Returns whether it has read them all.
    func each(_ values: [Value] = [], read: (inout Row) throws(EngineError) -> Bool) throws(EngineError) -> Bool {
        try prepared.start(values, body: nil)
        defer { prepared.reset() }
        while try prepared.next() {
            var row = Row(prepared)
            guard try read(&row) else { return false }
        }
        return true
    }

    public func all<Result>(
        _ values: [Value] = [],
        read: (inout Row) throws(EngineError) -> Result
    ) throws(EngineError) -> [Result] {
        try prepared.start(values, body: nil)
        defer { prepared.reset() }
        var results: [Result] = []
        while try prepared.next() {
            var row = Row(prepared)
            results.append(try read(&row))
        }
        return results
    }
}

/// A value that a statement binds.
public enum Value: Sendable, Equatable {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    public init(_ text: String?) { self = text.map { .text($0) } ?? .null }

    public init(_ number: Int64?) { self = number.map { .integer($0) } ?? .null }

    public init(_ flag: Bool?) { self = flag.map { .integer($0 ? 1 : 0) } ?? .null }

    public init(_ instant: Instant?) { self.init(instant?.milliseconds) }

    public init<Word: RawRepresentable<String>>(_ word: Word?) { self.init(word?.rawValue) }
}

/// An `INSERT` of one row, by its parts: an engine that is far away writes the rows of a table together.
public struct Insertion: Sendable {
    public let table: String
    let columns: [String]
    /// How many columns, the first ones, are the key of rows that replace each other; 0 for rows that do not.
    public let keyCount: Int
    let conflict: String

    /// Without a `conflict` of its own, a row with a key replaces the one that is there.
    init(into table: String, _ columns: String, replacing keyCount: Int = 0, conflict: String? = nil) {
        self.table = table
        self.columns = columns.split(separator: ",").map { String($0.drop { $0 == " " || $0 == "\n" }) }
        self.keyCount = keyCount
        let replaced = self.columns.dropFirst(keyCount).map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
        let key = self.columns.prefix(keyCount).joined(separator: ", ")
        self.conflict = conflict ?? (keyCount > 0 ? "ON CONFLICT (\(key)) DO UPDATE SET \(replaced)" : "")
    }

    public func sql(rows: Int = 1) -> String {
        let row = "(\(Array(repeating: "?", count: columns.count).joined(separator: ", ")))"
        let values = Array(repeating: row, count: rows).joined(separator: ", ")
        return "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES \(values) \(conflict)"
    }
}
