import Ledger
import PostgresLedger

/// Solid Cable's table in PostgreSQL, through a session that only reads.
final class PostgresSolidCableTable: SolidCableTable {
    private static let mode = "ISOLATION LEVEL REPEATABLE READ READ ONLY"
    /// Oid of `bytea`; before version 3 of Solid Cable, the columns were texts.
    private static let bytea: Int64 = 17

    private struct Statements {
        var session: Int
        var snapshot, head, newest, anchor, rows, late: PostgresStatement
    }

    /// Whether Solid Cable's table is there, as `true` or `false`.
    static let isThere = """
        SELECT CAST(count(*) = 2 AS TEXT) FROM pg_catalog.pg_attribute
        WHERE attrelid = to_regclass('solid_cable_messages') AND attname IN ('channel', 'payload')
        """

    private let connection: PostgresConnection
    private var statements: Statements?

    init(_ url: PostgresURL) {
        var options = PostgresOptions.cable
        // A standby has the same rows.
        options.isWriter = false
        connection = PostgresConnection(url, options: options)
    }

    func head() throws(RailsCableProblem) -> SolidCableHead {
        try reading { statements throws(EngineError) in
            let snapshot = try statements.snapshot.send()
            let ids = try statements.head.all([.integer(Int64(SolidCableLimits.lookBack))]) { row in
                (id: row.integer(0), created: row.text(1))
            }
            return SolidCableHead(
                ids: ids.reversed().map(\.id),
                created: ids.first?.created,
                snapshot: try PostgresSolidCableTable.snapshot(snapshot)
            )
        }
    }

    func rows(_ question: SolidCableQuestion) throws(RailsCableProblem) -> SolidCablePage {
        try reading { statements throws(EngineError) in
            let snapshot = try statements.snapshot.send()
            let newest = try statements.newest.send()
            let anchor = try statements.anchor.send([.integer(question.after)])
            let late = try question.missing.isEmpty ? nil : statements.late.send(Self.values(of: question))
            let rows = try statements.rows.send([.integer(question.after), .integer(Int64(question.limit))])
            var page = SolidCablePage()
            page.snapshot = try PostgresSolidCableTable.snapshot(snapshot)
            let found = try newest.take()
            if found.count > 0, !found[0].isNull(0) { page.newest = found[0].integer(0) }
            try found.check()
            let anchors = try anchor.take()
            if anchors.count > 0 { page.anchor = anchors[0].text(0) }
            try anchors.check()
            page.late = try late.map { ticket throws(EngineError) in try Self.rows(ticket) } ?? []
            page.rows = try Self.rows(rows)
            return page
        }
    }

    /// One snapshot for all statements of `body`. Nil when there is no table.
    private func reading<Result>(
        _ body: (Statements) throws(EngineError) -> Result
    ) throws(RailsCableProblem) -> Result {
        let result: Result?
        do throws(EngineError) {
            result = try readingIfThere(body)
        } catch {
            // The table may have been migrated, and its statements with it: the next session prepares them anew.
            connection.close()
            statements = nil
            throw .unreadable(error.advice)
        }
        guard let result else { throw .missingTable }
        return result
    }

    private func readingIfThere<Result>(
        _ body: (Statements) throws(EngineError) -> Result
    ) throws(EngineError) -> Result? {
        try connection.open()
        if statements?.session != connection.session { statements = try prepared() }
        guard let statements else { return nil }
        try connection.begin(Self.mode)
        let result = try body(statements)
        try connection.commit()
        return result
    }

    private func prepared() throws(EngineError) -> Statements? {
        let types = try connection.prepare(
            """
            SELECT attname, atttypid FROM pg_catalog.pg_attribute
            WHERE attrelid = to_regclass('solid_cable_messages') AND attname IN ('channel', 'payload') ORDER BY attname
            """
        ).all { row in row.integer(1) }
        guard types.count == 2 else { return nil }
        let table = "FROM solid_cable_messages"
        let columns = """
            id, \(Self.bytes(of: "channel", type: types[0], limit: SolidCableLimits.channel)),
            \(Self.bytes(of: "payload", type: types[1], limit: SolidCableLimits.payload)), CAST(created_at AS TEXT)
            """
        let missing = "unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS missing (low, high)"
        return Statements(
            session: connection.session,
            // In every version of the server that Rails supports.
            snapshot: connection.prepare(
                """
                SELECT txid_snapshot_xmin(snapshot), txid_snapshot_xmax(snapshot) FROM txid_current_snapshot() AS snapshot
                """
            ),
            head: connection.prepare("SELECT id, CAST(created_at AS TEXT) \(table) ORDER BY id DESC LIMIT ?"),
            newest: connection.prepare("SELECT max(id) \(table)"),
            anchor: connection.prepare("SELECT CAST(created_at AS TEXT) \(table) WHERE id = ?"),
            rows: connection.prepare("SELECT \(columns) \(table) WHERE id > ? ORDER BY id LIMIT ?"),
            late: connection.prepare(
                "SELECT \(columns) FROM \(missing) JOIN solid_cable_messages ON id BETWEEN low AND high ORDER BY id LIMIT ?"
            )
        )
    }

    private static func bytes(of column: String, type: Int64, limit: Int) -> String {
        // Without a cast, so that the statement fails once a migration has changed the column's type.
        let bytes = type == bytea ? column : "convert_to(\(column), 'UTF8')"
        return "CASE WHEN octet_length(\(column)) <= \(limit) THEN \(bytes) END"
    }

    private static func values(of question: SolidCableQuestion) -> [Value] {
        let bounds = [question.missing.map(\.lowerBound), question.missing.map(\.upperBound)]
        let arrays = bounds.map { bounds in
            Value.text("{\(bounds.map { "\($0)" }.joined(separator: ","))}")
        }
        return arrays + [.integer(Int64(question.limit))]
    }

    private static func snapshot(_ ticket: PostgresTicket) throws(EngineError) -> SolidCableSnapshot? {
        let rows = try ticket.take()
        guard rows.count > 0 else { return nil }
        let snapshot = SolidCableSnapshot(oldestRunning: rows[0].integer(0), next: rows[0].integer(1))
        try rows.check()
        return snapshot
    }

    private static func rows(_ ticket: PostgresTicket) throws(EngineError) -> [SolidCableRow] {
        let found = try ticket.take()
        let rows = (0..<found.count).map { index in
            let row = found[index]
            let payload = row.isNull(2) ? nil : row.bytes(2)
            return SolidCableRow(id: row.integer(0), channel: row.bytes(1), payload: payload, created: row.text(3))
        }
        try found.check()
        return rows
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
