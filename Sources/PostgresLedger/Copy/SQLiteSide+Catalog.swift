internal import Domain
internal import Glibc
internal import Ledger

extension SQLiteSide {
    func tables() throws(CopyError) -> [LedgerTable] {
        let (columns, references) = try at(name) { () throws(EngineError) in
            (try rows(SQLiteSide.columns, [], as: [.text, .text, .text, .integer]), try pairs(SQLiteSide.references))
        }
        let described = columns.map { row in
            ColumnDescription(
                table: row[0].word,
                column: row[1].word,
                type: row[2].word,
                ordinal: row[3].number > 0 ? row[3].number : nil
            )
        }
        return try LedgerTable.tables(described, references: references)
    }

    /// Generated columns are hidden ones.
    private static let columns = """
        SELECT tables.name, columns.name, columns.type, columns.pk
        FROM sqlite_schema AS tables JOIN pragma_table_xinfo(tables.name) AS columns
        WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite!_%' ESCAPE '!'
            AND tables.name <> '\(UnfinishedCopy.table)' AND columns.hidden = 0
        """

    private static let references = """
        SELECT tables.name, keys."table"
        FROM sqlite_schema AS tables JOIN pragma_foreign_key_list(tables.name) AS keys WHERE tables.type = 'table'
        """

    private func pairs(_ sql: String) throws(EngineError) -> [(from: String, to: String)] {
        try rows(sql, [], as: [.text, .text]).map { row in (row[0].word, row[1].word) }
    }

    func head() throws(CopyError) -> Cursor {
        try at(name) { () throws(EngineError) in
            Cursor(
                epoch: try text("SELECT value FROM meta WHERE key = 'epoch'") ?? "",
                position: try number("SELECT max(position) FROM entries") ?? 0
            )
        }
    }

    /// Identifies the file and its last change. A copy of the file is another file.
    func stamp() throws(CopyError) -> String {
        var file = stat()
        guard stat(name, &file) == 0 else { throw .missing(name) }
        return "\(file.st_dev):\(file.st_ino):\(file.st_size):\(file.st_mtim.tv_sec).\(file.st_mtim.tv_nsec)"
    }

    func lastNumbers() throws(CopyError) -> [String: Int64] {
        let rows = try at(name) { () throws(EngineError) in
            try self.rows("SELECT name, seq FROM sqlite_sequence", [], as: [.text, .integer])
        }
        return Dictionary(rows.map { ($0[0].word, $0[1].number) }) { first, _ in first }
    }

    func clear(_ tables: [LedgerTable]) throws(EngineError) {
        for table in tables.reversed() {
            try run(table.clear, [])
            try run("DELETE FROM sqlite_sequence WHERE name = ?", [.text(table.name)])
        }
    }

    /// Nothing to do: this side holds the ledger's lock since before it looked at the file, which keeps servers out.
    func excludeOthers() {}

    /// Nothing to do: the position follows from the entries. A number counts only where this engine numbers rows,
    /// because PostgreSQL does not number entries.
    func makeRoom(upTo head: Cursor) {}

    func set(_ head: Cursor, lastNumbers: [String: Int64]) throws(EngineError) {
        try run("UPDATE meta SET value = ? WHERE key = 'epoch'", [.text(head.epoch)])
        for (table, number) in lastNumbers {
            let sql = "SELECT 1 FROM sqlite_schema WHERE name = ? AND sql LIKE '%AUTOINCREMENT%'"
            guard try self.number(sql, [.text(table)]) != nil else { continue }
            try run("DELETE FROM sqlite_sequence WHERE name = ?", [.text(table)])
            try run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [.text(table), .integer(number)])
        }
    }
}

extension Value {
    /// Empty if it is not a text.
    var word: String { if case .text(let text) = self { text } else { "" } }

    /// 0 if it is not a number.
    var number: Int64 { if case .integer(let number) = self { number } else { 0 } }
}
