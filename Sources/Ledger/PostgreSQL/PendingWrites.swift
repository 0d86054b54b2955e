/// A transaction's writes, kept back until something depends on them.
struct PendingWrites {
    private struct Rows {
        let insert: BulkInsert
        var rows: [[Value]] = []
        /// Where a key is, in tables whose rows replace each other. One statement may hold a key only once: "ON CONFLICT DO
        /// UPDATE command cannot affect row a second time".
        var places: [[UInt8]: Int] = [:]

        mutating func add(_ row: [Value]) {
            guard insert.insertion.keyCount > 0 else { return rows.append(row) }
            let key = row.prefix(insert.insertion.keyCount).reduce(into: []) { $1.append(to: &$0) }
            if let place = places[key] {
                rows[place] = row
            } else {
                places[key] = rows.count
                rows.append(row)
            }
        }
    }

    private var inserts: [Int: Rows] = [:]
    /// Of contracts, in their order.
    private var updates: [(update: StatementText, values: [Value])] = []

    mutating func add(_ row: [Value], to insert: BulkInsert) {
        inserts[insert.place, default: Rows(insert: insert)].add(row)
    }

    mutating func add(_ update: StatementText, _ values: [Value]) {
        updates.append((update, values))
    }

    /// Queues everything, and forgets it.
    mutating func run(on postgres: PostgresConnection) throws(EngineError) {
        let pending = self
        self = PendingWrites()
        let places = pending.inserts.keys.sorted()
        for place in places where place == 0 { try pending.run(at: place, on: postgres) }
        for (update, values) in pending.updates { try postgres.queue(update, values) }
        for place in places where place > 0 { try pending.run(at: place, on: postgres) }
    }

    private func run(at place: Int, on postgres: PostgresConnection) throws(EngineError) {
        guard let rows = inserts[place] else { return }
        try rows.insert.run(rows.rows, on: postgres)
    }
}

/// An `INSERT` of one row into a table whose rows may wait, and go with others in one statement: the server's work for a
/// statement is several times that for a row.
final class BulkInsert {
    /// The tables in an order in which their references hold. A row of one may be written before a row of an earlier
    /// table that was given first, because no command changes what another one of its batch has just inserted there
    /// except by what is a barrier, or an update that keeps its place.
    private static let order = [
        "contracts", "tokens", "claims", "transfers", "charges", "orders", "locales", "entries", "fragments", "headers",
        "events", "jobs", "hook_deliveries", "audit",
    ]
    /// Sizes are powers of two, so that few statements are prepared. The most is far below the 65,535 parameters that
    /// a statement may have.
    static let most = 32

    /// Its place among the tables.
    let place: Int
    let insertion: Insertion
    private var texts: [Int: StatementText] = [:]

    init(_ insertion: Insertion) {
        self.insertion = insertion
        place = BulkInsert.order.firstIndex(of: insertion.table) ?? BulkInsert.order.count
    }

    /// Queues all rows, each with one value for each parameter.
    func run(_ rows: [[Value]], on postgres: PostgresConnection) throws(EngineError) {
        var rest = rows[...]
        while !rest.isEmpty {
            var size = BulkInsert.most
            while size > rest.count { size /= 2 }
            try postgres.queue(text(for: size, on: postgres), rest.prefix(size).flatMap { $0 })
            rest = rest.dropFirst(size)
        }
    }

    private func text(for rows: Int, on postgres: PostgresConnection) -> StatementText {
        if let known = texts[rows] { return known }
        let text = postgres.text(insertion.sql(rows: rows))
        texts[rows] = text
        return text
    }
}
