public import LedgerInterface
internal import LedgerSQL
public import Postgres

/// A statement of a ledger's connection. What it writes is queued and not waited for; what it asks is.
final class PostgresLedgerStatement: PreparedStatement {
    let sql: String
    private let statement: PostgresStatement
    private let connection: PostgresLedgerConnection
    private var values: [Value] = []
    private var body: UnsafeRawBufferPointer?
    private var rows: QuestionRows?
    private let insert: BulkInsert?
    private let isUpdateOfContract: Bool
    private var index = -1

    init(_ sql: String, on connection: PostgresLedgerConnection) {
        self.sql = PostgresDialect.translated(sql)
        self.connection = connection
        statement = connection.postgres.prepare(self.sql)
        insert = BulkInsert(self.sql, on: connection.postgres)
        isUpdateOfContract = self.sql.hasPrefix("UPDATE contracts SET")
    }

    func start(_ values: [Value], body: UnsafeRawBufferPointer?) throws(EngineError) {
        self.values = values
        self.body = body
    }

    func next() throws(EngineError) -> Bool {
        if index < 0 { rows = try connection.ask(statement, values: values) }
        index += 1
        guard let rows else { return false }
        if index == rows.count { try engine { () throws(PostgresError) in try rows.result.check() } }
        return index < rows.count
    }

    func complete() throws(EngineError) {
        guard insert != nil || isUpdateOfContract, connection.isInTransaction else {
            return try connection.queue(statement, values: values, body: body)
        }
        let values = values.map(\.postgres) + (body.map { [.bytes(Array($0))] } ?? [])
        connection.keepBack { pending in
            if let insert { pending.add(values, to: insert) } else { pending.add(update: statement, values: values) }
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

    func name(of column: Int32) -> String { rows?.result.name(of: column) ?? "\(column)" }

    private var row: PostgresRow? { rows?[index] }
}

extension Value {
    public var postgres: PostgresValue {
        switch self {
        case .null: .null
        case .integer(let number): .integer(number)
        case .text(let text): .text(text)
        case .bytes(let bytes): .bytes(bytes)
        }
    }
}
