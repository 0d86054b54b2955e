import Crypto

/// A table of every ledger, as a copy reads and writes it.
struct CopiedTable {
    /// The raw values are SQLite's types.
    enum Kind: String {
        case integer = "INTEGER"
        case text = "TEXT"
        case bytes = "BLOB"
    }

    struct Column: Equatable {
        let name: String
        let kind: Kind
    }

    /// The number of rows read at a time. A row may hold a body of 256 KiB.
    static let pageSize = 256

    let name: String
    /// The primary key, in its order, and then the others.
    private(set) var columns: [Column] = []
    private(set) var keyCount = 0

    /// The tables of a new ledger in SQLite, each after those that it refers to; a test holds PostgreSQL's beside them.
    /// Columns that the database computes are left out.
    static func all() throws(EngineError) -> [CopiedTable] {
        let ledger = try SQLiteConnection(path: ":memory:", access: .readWrite, lockTimeout: .zero)
        try ledger.execute(SQLiteSchema.tables)
        let found = try ledger.prepare(
            """
            SELECT tables.name, columns.name, columns.type, columns.pk
            FROM sqlite_schema AS tables JOIN pragma_table_xinfo(tables.name) AS columns
            WHERE tables.type = 'table' AND tables.name <> 'sqlite_sequence' AND columns.hidden = 0
            ORDER BY tables.rowid, columns.pk = 0, columns.pk, columns.cid
            """
        ).all { row throws(EngineError) in
            guard let kind = Kind(rawValue: row.text(2)) else { throw .unanswered }
            return (table: row.text(0), column: Column(name: row.text(1), kind: kind), isKey: row.integer(3) > 0)
        }
        var tables: [CopiedTable] = []
        for (table, column, isKey) in found {
            if tables.last?.name != table { tables.append(CopiedTable(name: table)) }
            tables[tables.count - 1].columns.append(column)
            if isKey { tables[tables.count - 1].keyCount += 1 }
        }
        return tables
    }

    /// A new ledger has rows of its own in this table alone.
    var isMeta: Bool { name == "meta" }
    /// Leaves out the rows of `meta` that belong to one engine.
    private var condition: String? {
        isMeta ? "key NOT IN ('epoch', 'schema_version', 'history', 'reserved', 'home')" : nil
    }

    /// The values of a row that was read.
    func values(of row: Row) -> [Value] {
        zip(Int32(0)..., columns).map { column, description in
            guard !row.isNull(column) else { return .null }
            switch description.kind {
            case .integer: return .integer(row.integer(column))
            case .bytes: return .bytes(row.bytes(column))
            // Bytes, when it is not UTF-8.
            case .text:
                let bytes = row.bytes(column)
                return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .bytes(bytes)
            }
        }
    }

    /// The rows after a key, in the key's order.
    func page(isFirst: Bool) -> String {
        let key = CopiedTable.list(columns.prefix(keyCount))
        let terms = [condition, isFirst ? nil : "(\(key)) > (\(CopiedTable.marks(keyCount)))"].compactMap { $0 }
        let filter = terms.isEmpty ? "" : "WHERE " + terms.joined(separator: " AND ")
        return """
            SELECT \(CopiedTable.list(columns[...])) FROM \(name) \(filter) ORDER BY \(key) LIMIT \(CopiedTable.pageSize)
            """
    }

    var insertion: String {
        "INSERT INTO \(name) (\(CopiedTable.list(columns[...]))) VALUES (\(CopiedTable.marks(columns.count)))"
    }

    var clearing: String { "DELETE FROM \(name)" + (condition.map { " WHERE " + $0 } ?? "") }

    private static func list(_ columns: ArraySlice<Column>) -> String {
        columns.map { "\"\($0.name)\"" }.joined(separator: ", ")
    }

    private static func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }
}

/// How many rows a table has, and one digest of them all, in the order of their key.
struct TableDigest: Equatable {
    private(set) var rows: Int64 = 0
    private(set) var sha256: [UInt8] = []

    mutating func add(_ page: [[Value]]) {
        var bytes = sha256
        for row in page {
            for value in row { value.append(to: &bytes) }
        }
        sha256 = SHA256.hash(bytes)
        rows += Int64(page.count)
    }
}
