internal import Ledger

/// Rows as the target can store them.
struct StorablePage {
    var rows: [[Value]]
    /// The number of texts that had to be changed.
    var replaced: Int64 = 0

    /// The rows after `key`. U+0000 becomes U+FFFD where a text cannot hold it, as in everything that a server writes;
    /// in a key it is refused. Bodies stay as they are.
    init(
        of table: LedgerTable,
        in source: any CopySide,
        after key: [Value]?,
        for target: any CopySide
    ) throws(CopyError) {
        rows = try at(source.name) { () throws(EngineError) in
            try source.page(of: table, after: key, limit: TableCopy.pageSize)
        }
        let texts = table.columns.indices.filter { table.columns[$0].kind == .text }
        for index in rows.indices {
            for column in texts {
                switch rows[index][column] {
                case .text(let text) where !target.takesZeroBytes && text.utf8.contains(0):
                    guard !table.key.contains(column) else {
                        let name = table.columns[column].name
                        let place = StorablePage.place(of: rows[index], in: table, column: column)
                        throw .zeroByteInKey("\(source.name): \(place)", column: name)
                    }
                    rows[index][column] = .text(text.replacingZeroBytes)
                    replaced += 1
                case .bytes:
                    let place = StorablePage.place(of: rows[index], in: table, column: column)
                    throw .unreadableText("\(source.name): \(place)")
                default: break
                }
            }
        }
    }

    private static func place(of row: [Value], in table: LedgerTable, column: Int) -> String {
        let place = table.place(of: row)
        return table.name + (place.isEmpty ? "" : " (\(place))") + ", column \(table.columns[column].name)"
    }
}

extension String {
    var replacingZeroBytes: String {
        String(String.UnicodeScalarView(unicodeScalars.map { $0.value == 0 ? "\u{FFFD}" : $0 }))
    }
}
