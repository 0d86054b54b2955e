internal import Ledger

/// A table as a database's catalog describes it. Both engines must describe the same tables, so that no table and no
/// column can be left out of a copy, whichever version adds it.
struct LedgerTable: Equatable {
    enum Kind {
        case integer, text, bytes
    }

    struct Column: Equatable {
        var name: String
        var kind: Kind
    }

    let name: String
    /// Sorted by name, without the columns that the database computes itself.
    let columns: [Column]
    /// The primary key: indexes of `columns`, in the key's order.
    let key: [Int]
    /// The tables whose rows must be there before this table's. A partitioned table has fewer of them.
    let references: Set<String>

    /// Rows of `meta` that belong to one engine and are not copied.
    private static let ownKeys = "key NOT IN ('epoch', 'version', 'history', 'reserved')"

    /// `meta` has only a few rows, and every new ledger has some of them.
    var isMeta: Bool { name == "meta" }

    private var condition: String? { isMeta ? LedgerTable.ownKeys : nil }

    private var list: String { columns.map { "\"\($0.name)\"" }.joined(separator: ", ") }

    private func keyList(_ order: String = "") -> String {
        key.map { "\"\(columns[$0].name)\"\(order)" }.joined(separator: ", ")
    }

    private func marks(_ count: Int) -> String { Array(repeating: "?", count: count).joined(separator: ", ") }

    private func filter(_ more: String?) -> String {
        let terms = [condition, more].compactMap { $0 }
        return terms.isEmpty ? "" : "WHERE " + terms.joined(separator: " AND ")
    }

    /// The rows after a key, in the key's order; the number of rows is the last parameter.
    func page(isFirst: Bool) -> String {
        let after = isFirst ? nil : "(\(keyList())) > (\(marks(key.count)))"
        return "SELECT \(list) FROM \"\(name)\" \(filter(after)) ORDER BY \(keyList()) LIMIT ?"
    }

    var last: String { "SELECT \(list) FROM \"\(name)\" \(filter(nil)) ORDER BY \(keyList(" DESC")) LIMIT 1" }

    var count: String { "SELECT count(*) FROM \"\(name)\" \(filter(nil))" }

    var insert: String { "INSERT INTO \"\(name)\" (\(list)) VALUES (\(marks(columns.count)))" }

    var clear: String { "DELETE FROM \"\(name)\" \(filter(nil))" }

    func key(of row: [Value]) -> [Value] { key.map { row[$0] } }

    /// The place of a row, for an error: `position 17, ordinal 0`. A text in a key may be a person's name or a secret,
    /// so none is shown.
    func place(of row: [Value]) -> String {
        let numbers = key.compactMap { index in
            if case .integer(let number) = row[index] { "\(columns[index].name) \(number)" } else { nil as String? }
        }
        return numbers.joined(separator: ", ")
    }

    /// Puts every table after those that it refers to.
    static func inOrder(_ tables: [LedgerTable]) -> [LedgerTable] {
        var rest = tables
        var ordered: [LedgerTable] = []
        var known: Set<String> = []
        while let index = rest.firstIndex(where: { $0.references.subtracting([$0.name]).isSubset(of: known) }) {
            let table = rest.remove(at: index)
            known.insert(table.name)
            ordered.append(table)
        }
        // A cycle cannot be ordered, so the database is left to report it.
        return ordered + rest
    }

    /// Describes the first difference between two ledgers' tables; nil if they are the same.
    static func difference(_ source: [LedgerTable], _ target: [LedgerTable]) -> String? {
        for table in source {
            guard let other = target.first(where: { $0.name == table.name }) else {
                return "the target has no table \(table.name)"
            }
            guard other.columns == table.columns, other.key == table.key else {
                return "the table \(table.name) has other columns, or another key, in the target"
            }
        }
        return target.first { table in !source.contains { $0.name == table.name } }
            .map { "the source has no table \($0.name)" }
    }
}
