import Ledger

/// Solid Cable's table in PostgreSQL, through a session that only reads.
final class PostgresSolidCableTable: SolidCableTable {
    /// Oid of `bytea`; before version 3 of Solid Cable, the columns were texts.
    private static let bytea: Int64 = 17

    /// Of one session.
    private struct Statements {
        var session: Int
        var head, rows, rowsAndLate: Statement
    }

    /// The types of its columns `channel` and `payload`, if it is there.
    static let columns = """
        SELECT CAST(atttypid AS BIGINT) FROM pg_catalog.pg_attribute
        WHERE attrelid = to_regclass('solid_cable_messages') AND attname IN ('channel', 'payload') ORDER BY attname
        """

    private let connection: PostgresConnection
    private var statements: Statements?

    init(_ url: PostgresURL) {
        var options = PostgresOptions.cable
        // A standby has the same rows.
        options.isWriter = false
        connection = PostgresConnection(url, options: options)
    }

    func page(_ question: SolidCableQuestion?) throws(BroadcastProblem) -> SolidCablePage {
        do throws(EngineError) {
            if let page = try pageIfThere(question) { return page }
        } catch {
            // The table may have been migrated, and its statements with it: the next session prepares them anew.
            connection.close()
            statements = nil
            throw BroadcastProblem(error.advice)
        }
        throw .missingTable
    }

    private func pageIfThere(_ question: SolidCableQuestion?) throws(EngineError) -> SolidCablePage? {
        try connection.open()
        if statements?.session != connection.session { statements = try prepared() }
        guard let statements else { return nil }
        try connection.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY")
        let statement =
            question.map { $0.missing.isEmpty ? statements.rows : statements.rowsAndLate } ?? statements.head
        let values = question.map(Self.values) ?? [.integer(SolidCableLimits.lookBack)]
        var page = SolidCablePage()
        _ = try statement.all(values) { row in page.add(row, to: question) }
        try connection.commit()
        return page
    }

    private func prepared() throws(EngineError) -> Statements? {
        let types = try connection.prepare(PostgresSolidCableTable.columns).all { row in row.integer(0) }
        guard types.count == 2 else { return nil }
        let sql = SolidCableSQL(
            channel: Self.bytes(of: "channel", type: types[0], limit: SolidCableLimits.channel),
            payload: Self.bytes(of: "payload", type: types[1], limit: SolidCableLimits.payload),
            // In every version of the server that Rails supports.
            snapshot: """
                (SELECT txid_snapshot_xmin(txid_current_snapshot())), (SELECT txid_snapshot_xmax(txid_current_snapshot()))
                """
        )
        return Statements(
            session: connection.session,
            head: connection.prepare(sql.head),
            rows: connection.prepare(sql.rows),
            rowsAndLate: connection.prepare(sql.rowsAndLate)
        )
    }

    private static func bytes(of column: String, type: Int64, limit: Int) -> String {
        // Without a cast, so that the statement fails once a migration has changed the column's type.
        let bytes = type == bytea ? column : "convert_to(\(column), 'UTF8')"
        return "CASE WHEN octet_length(\(column)) <= \(limit) THEN \(bytes) END"
    }

    private static func values(of question: SolidCableQuestion) -> [Value] {
        let values: [Value] = [.integer(question.after), .integer(Int64(question.limit))]
        guard !question.missing.isEmpty else { return values }
        let bounds = [question.missing.map(\.lowerBound), question.missing.map(\.upperBound)]
        return values
            + bounds.map { bounds in
                .text("{\(bounds.map { "\($0)" }.joined(separator: ","))}")
            }
    }
}

extension PostgresOptions {
    /// For the app's database. Nothing is awaited longer: whoever stops the server waits for it.
    static var cable: PostgresOptions {
        var options = PostgresOptions(applicationName: "paycast cable")
        options.connect = .seconds(3)
        options.statement = .seconds(4)
        options.answer = .seconds(4)
        return options
    }
}
