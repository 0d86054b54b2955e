/// Where a statement runs: on a connection at once, or as a ledger's connection decides.
protocol StatementRunner: AnyObject {
    /// Waits for the rows. Nil while questions are only recorded.
    func ask(_ statement: PostgresStatement, _ values: [Value]) throws(EngineError) -> PostgresResult?
    /// Queues it without reading rows, with `body` as the last parameter, which only libpq copies. A failure surfaces at the
    /// next wait, at the latest in `commit`.
    func queue(_ statement: PostgresStatement, _ values: [Value], body: UnsafeRawBufferPointer?) throws(EngineError)
}

/// A statement, and the rows of its current run. The server prepares it when a session first needs it, in the same round
/// trip. What it writes is queued and not waited for; what it asks is.
final class PostgresStatement: PreparedStatement {
    /// How a ledger's connection takes it in a transaction.
    enum Writing {
        case atOnce, update
        case insert(BulkInsert)
    }

    let sql: String
    let text: StatementText
    let writing: Writing
    private let runner: any StatementRunner
    private var values: [Value] = []
    private var body: UnsafeRawBufferPointer?
    private var rows: PostgresResult?
    private var index = -1

    init(_ sql: String, as text: StatementText, writing: Writing = .atOnce, on runner: any StatementRunner) {
        self.sql = sql
        self.text = text
        self.writing = writing
        self.runner = runner
    }

    func start(_ values: [Value], body: UnsafeRawBufferPointer?) throws(EngineError) {
        self.values = values
        self.body = body
    }

    func next() throws(EngineError) -> Bool {
        if index < 0 { rows = try runner.ask(self, values) }
        index += 1
        guard let rows else { return false }
        if index == rows.count { try rows.check() }
        return index < rows.count
    }

    func check() throws(EngineError) { try rows?.check() }

    func complete() throws(EngineError) { try runner.queue(self, values, body: body) }

    func reset() {
        values = []
        body = nil
        rows = nil
        index = -1
    }

    func isNull(_ column: Int32) -> Bool { row?.isNull(column) ?? true }

    func integer(_ column: Int32) -> Int64 { row?.integer(column) ?? 0 }

    func text(_ column: Int32) -> String? { row?.optionalText(column) }

    func bytes(_ column: Int32) -> [UInt8] { row?.bytes(column) ?? [] }

    func name(of column: Int32) -> String { rows?.name(of: column) ?? "\(column)" }

    private var row: PostgresRow? { rows?[index] }
}
