import Ledger

/// A statement of a ledger's connection. What it writes is queued and not waited for; what it asks is.
final class PostgresLedgerStatement: PreparedStatement {
    let sql: String
    private let statement: PostgresStatement
    private let connection: PostgresLedgerConnection
    private var values: [Value] = []
    private var body: UnsafeRawBufferPointer?
    private var rows: PostgresResult?
    private let writing: Writing
    private var index = -1

    enum Writing {
        case atOnce, update
        case insert(BulkInsert)
    }

    init(_ sql: String, writing: Writing = .atOnce, on connection: PostgresLedgerConnection) {
        self.sql = sql
        self.writing = writing
        self.connection = connection
        statement = connection.postgres.prepare(Placeholders.translated(sql))
    }

    func start(_ values: [Value], body: UnsafeRawBufferPointer?) throws(EngineError) {
        self.values = values
        self.body = body
    }

    func next() throws(EngineError) -> Bool {
        if index < 0 { rows = try connection.ask(statement, query: sql, values: values) }
        index += 1
        guard let rows else { return false }
        if index == rows.count { try rows.check() }
        return index < rows.count
    }

    func complete() throws(EngineError) {
        let row = values + (body.map { [.bytes(Array($0))] } ?? [])
        switch writing {
        case .insert(let insert) where connection.isInTransaction: connection.keepBack { $0.add(row, to: insert) }
        case .update where connection.isInTransaction: connection.keepBack { $0.add(update: statement, values: row) }
        default: try connection.queue(statement, values: values, body: body)
        }
    }

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
