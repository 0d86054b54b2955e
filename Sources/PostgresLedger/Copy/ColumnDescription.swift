/// A column, as a query of the catalog returns it.
struct ColumnDescription {
    var table: String
    var column: String
    var type: String
    /// Its place in the primary key; nil if it is not part of the key.
    var ordinal: Int64?
}

extension LedgerTable {
    /// Throws for a type that no ledger has had so far, because nobody has considered how to copy it.
    static func tables(
        _ rows: [ColumnDescription],
        references: [(from: String, to: String)]
    ) throws(CopyError) -> [LedgerTable] {
        var tables: [LedgerTable] = []
        for name in Set(rows.map(\.table)).sorted() {
            let rows = rows.filter { $0.table == name }.sorted { $0.column < $1.column }
            var columns: [Column] = []
            for row in rows {
                guard let kind = kind(row.type) else {
                    throw .tables("the column \(name).\(row.column) has the type \(row.type), which is not copied")
                }
                columns.append(Column(name: row.column, kind: kind))
            }
            let key = rows.indices.filter { rows[$0].ordinal != nil }
                .sorted { rows[$0].ordinal ?? 0 < rows[$1].ordinal ?? 0 }
            guard !key.isEmpty else { throw .tables("the table \(name) has no primary key") }
            let targets = references.filter { $0.from == name }.map(\.to)
            tables.append(LedgerTable(name: name, columns: columns, key: key, references: Set(targets)))
        }
        return tables
    }

    private static func kind(_ type: String) -> Kind? {
        switch type {
        case "INTEGER", "int8": .integer
        case "TEXT", "text": .text
        case "BLOB", "bytea": .bytes
        default: nil
        }
    }
}
