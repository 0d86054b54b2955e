internal import Ledger

/// A transaction's writes, kept back until something depends on them.
struct PendingWrites {
    private struct Rows {
        let insert: BulkInsert
        var rows: [[PostgresValue]] = []
        /// Where a key is, in tables whose rows replace each other. One statement may hold a key only once: "ON CONFLICT DO
        /// UPDATE command cannot affect row a second time".
        var places: [[UInt8]: Int] = [:]

        mutating func add(_ row: [PostgresValue]) {
            guard insert.insertion.keyCount > 0 else { return rows.append(row) }
            let key = row.prefix(insert.insertion.keyCount).flatMap(\.keyBytes)
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
    private var updates: [(statement: PostgresStatement, values: [PostgresValue])] = []

    var isEmpty: Bool { inserts.isEmpty && updates.isEmpty }

    mutating func add(_ row: [PostgresValue], to insert: BulkInsert) {
        inserts[insert.place, default: Rows(insert: insert)].add(row)
    }

    mutating func add(update statement: PostgresStatement, values: [PostgresValue]) {
        updates.append((statement, values))
    }

    /// Queues everything, and forgets it.
    mutating func run() throws(PostgresError) {
        let pending = self
        self = PendingWrites()
        let places = pending.inserts.keys.sorted()
        for place in places where place == 0 { try pending.run(at: place) }
        for (statement, values) in pending.updates { try statement.run(values) }
        for place in places where place > 0 { try pending.run(at: place) }
    }

    private func run(at place: Int) throws(PostgresError) {
        guard let rows = inserts[place] else { return }
        try rows.insert.run(rows.rows)
    }
}

extension PostgresValue {
    /// Tells values apart by their bytes.
    var keyBytes: [UInt8] {
        switch self {
        case .null: [0]
        case .integer(let number): [1] + Array("\(number)".utf8) + [0]
        case .text(let text): [2] + Array("\(text.utf8.count):".utf8) + Array(text.utf8)
        case .bytes(let bytes): [3] + Array("\(bytes.count):".utf8) + bytes
        }
    }
}
