internal import Ledger

/// An `INSERT` of one row into a table whose rows may wait, and go with others in one statement: the server's work for a
/// statement is several times that for a row.
final class BulkInsert {
    /// The tables in an order in which their references hold. A row of one may be written before a row of an earlier
    /// table that was given first, because no command changes what another one of its batch has just inserted there
    /// except by what is a barrier, or an update that keeps its place.
    private static let order = [
        "contracts", "tokens", "claims", "transfers", "orders", "languages", "entries", "fragments", "headers",
        "events",
        "jobs",
    ]
    /// Sizes are powers of two, so that few statements are prepared. The most is far below the 65,535 parameters that
    /// a statement may have.
    static let most = 32

    /// Its place among the tables.
    let place: Int
    let insertion: Insertion
    private let postgres: PostgresConnection
    private var statements: [Int: PostgresStatement] = [:]

    init(_ insertion: Insertion, on postgres: PostgresConnection) {
        self.insertion = insertion
        self.postgres = postgres
        place = BulkInsert.order.firstIndex(of: insertion.table) ?? BulkInsert.order.count
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
        let group = "(\(Array(repeating: "?", count: insertion.columns.count).joined(separator: ", ")))"
        let groups = Array(repeating: group, count: rows).joined(separator: ", ")
        let sql = PostgresDialect.translated("\(insertion.beginning) \(groups) \(insertion.conflict)")
        let statement = postgres.prepare(sql)
        statements[rows] = statement
        return statement
    }
}
