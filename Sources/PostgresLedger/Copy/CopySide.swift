import Domain
import Ledger

/// The source or the target of a copy. Used by one thread. Everything but opening it happens in a transaction.
protocol CopySide: AnyObject {
    /// Safe to print.
    var name: String { get }
    /// True if its texts can hold U+0000.
    var takesZeroBytes: Bool { get }

    /// Throws if a server uses the ledger.
    func refuseServers(report: (String) -> Void) throws(CopyError)
    /// Creates the tables of a target, unless they are there.
    func createTables() throws(CopyError)

    /// Shows one state of the ledger until `rollback`.
    func beginReading() throws(EngineError)
    /// Nobody else writes until the transaction ends; while it is `forOpening`, nobody opens the ledger either.
    func begin(forOpening: Bool) throws(EngineError)
    /// May throw what a statement before has failed with.
    func commit() throws(EngineError)
    func rollback()

    /// Returns a text that is not UTF-8 as bytes.
    func rows(_ sql: String, _ values: [Value], as kinds: [CopiedTable.Kind]) throws(EngineError) -> [[Value]]
    func run(_ sql: String, _ values: [Value]) throws(EngineError)

    func head() throws(EngineError) -> Cursor
    /// Changes with every commit.
    func stamp() throws(EngineError) -> String
    /// The highest number that a job was given, even if that job is gone.
    func lastJob() throws(EngineError) -> Int64
    /// A node that opened the target before cannot commit to it afterwards.
    func set(_ head: Cursor, lastJob: Int64) throws(EngineError)
}

extension CopySide {
    func number(_ sql: String, _ values: [Value] = []) throws(EngineError) -> Int64? {
        guard case .integer(let number)? = try rows(sql, values, as: [.integer]).first?.first else { return nil }
        return number
    }

    func text(_ sql: String, _ values: [Value] = []) throws(EngineError) -> String? {
        guard case .text(let text)? = try rows(sql, values, as: [.text]).first?.first else { return nil }
        return text
    }

    /// Calls `body` with the rows of a table, page by page, in the order of its key.
    func eachPage(of table: CopiedTable, _ body: ([[Value]]) throws(CopyError) -> Void) throws(CopyError) {
        var key: [Value]?
        while true {
            let page = try at(name) { () throws(EngineError) in
                try rows(table.page(isFirst: key == nil), key ?? [], as: table.kinds)
            }
            guard let last = page.last else { return }
            try body(page)
            key = table.key(of: last)
        }
    }
}
