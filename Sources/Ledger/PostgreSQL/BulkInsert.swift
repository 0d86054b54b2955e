internal import Postgres

/// An `INSERT` of one row into a table whose rows may wait, and go with others in one statement: the server's work for a
/// statement is several times that for a row.
final class BulkInsert {
    /// The tables in an order in which their references hold. A row of one may be written before a row of an earlier
    /// table that was given first, because no command changes what another one of its batch has just inserted there
    /// except by what is a barrier, or an update that keeps its place.
    private static let order = [
        "contracts", "tokens", "claims", "transfers", "orders", "languages", "entries", "fragments", "events", "jobs",
    ]
    /// How many columns, the first ones, are the key of a table whose rows replace each other. One statement may hold a
    /// key only once: "ON CONFLICT DO UPDATE command cannot affect row a second time".
    private static let keys = ["tokens": 2, "claims": 2, "languages": 1]
    /// Sizes are powers of two, so that few statements are prepared. The most is far below the 65,535 parameters that
    /// a statement may have.
    static let most = 32

    /// Its place among the tables.
    let place: Int
    let keyColumns: Int
    private let beginning: String
    private let group: String
    private let end: String
    private let parameters: Int
    private let postgres: PostgresConnection
    private var statements: [Int: PostgresStatement] = [:]

    /// Nil for any other statement. Its parameters are numbered.
    init?(_ sql: String, on postgres: PostgresConnection) {
        guard sql.hasPrefix("INSERT INTO "), let values = sql.firstRange(of: "VALUES ("),
            let close = sql[values.upperBound...].firstIndex(of: ")")
        else { return nil }
        let table = String(sql.dropFirst("INSERT INTO ".count).prefix { $0 != " " })
        guard let place = BulkInsert.order.firstIndex(of: table) else { return nil }
        self.place = place
        self.postgres = postgres
        keyColumns = BulkInsert.keys[table] ?? 0
        beginning = String(sql[..<values.upperBound].dropLast())
        group = String(sql[values.upperBound..<close])
        end = String(sql[sql.index(after: close)...])
        parameters = group.count { $0 == "$" }
        guard !end.contains("$") else { return nil }
    }

    /// Queues all rows, each with one value for each parameter.
    func run(_ rows: [[PostgresValue]]) throws(PostgresError) {
        var rest = rows[...]
        while !rest.isEmpty {
            var size = BulkInsert.most
            while size > rest.count { size /= 2 }
            try statement(for: size).run(rest.prefix(size).flatMap { $0 })
            rest = rest.dropFirst(size)
        }
    }

    private func statement(for rows: Int) -> PostgresStatement {
        if let known = statements[rows] { return known }
        let groups = (0..<rows).map { row in "(\(numbered(after: row * parameters)))" }
        let statement = postgres.prepare(beginning + groups.joined(separator: ", ") + end)
        statements[rows] = statement
        return statement
    }

    private func numbered(after first: Int) -> String {
        let columns = group.split(separator: ",").map { $0.drop { $0 == " " || $0 == "\n" } }
        return columns.map { column in
            guard column.hasPrefix("$"), let number = Int(column.dropFirst()) else { return String(column) }
            return "$\(first + number)"
        }.joined(separator: ", ")
    }
}
