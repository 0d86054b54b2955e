internal import Domain
internal import Ledger

/// The source or the target of a copy. Used by one thread.
protocol CopySide: AnyObject {
    /// Safe to print.
    var name: String { get }
    /// True if its texts can hold U+0000.
    var takesZeroBytes: Bool { get }

    /// Creates the tables of a target, unless they are there.
    func createTables() throws(CopyError)
    func isUnfinishedCopy() throws(CopyError) -> Bool
    /// The tables that a copy has to contain.
    func tables() throws(CopyError) -> [LedgerTable]
    func head() throws(CopyError) -> Cursor
    /// Changes with every commit.
    func stamp() throws(CopyError) -> String
    /// The highest number that the database itself has given to a row of each table, even if that row is gone.
    func lastNumbers() throws(CopyError) -> [String: Int64]

    /// Returns a text that is not UTF-8 as bytes.
    func rows(_ sql: String, _ values: [Value], as kinds: [LedgerTable.Kind]) throws(EngineError) -> [[Value]]
    /// May fail as late as at the commit.
    func run(_ sql: String, _ values: [Value]) throws(EngineError)
    /// Shows one state of the ledger until `rollback`.
    func beginReading() throws(EngineError)
    /// Asks a question, in the running transaction or in its own.
    func reading<Result>(_ body: () throws(EngineError) -> Result) throws(CopyError) -> Result
    func begin() throws(EngineError)
    func commit() throws(EngineError)
    func rollback()

    /// `tables` are in order: each comes after those that it refers to.
    func clear(_ tables: [LedgerTable]) throws(EngineError)
    /// Keeps everybody else from opening the ledger and from writing to it until the writing transaction that calls
    /// this ends.
    func excludeOthers() throws(EngineError)
    /// Creates the partitions for rows up to `head`, and takes over its epoch, so that a node that opened the target
    /// before the copy began cannot commit to it.
    func makeRoom(upTo head: Cursor) throws(EngineError)
    func set(_ head: Cursor, lastNumbers: [String: Int64]) throws(EngineError)
    /// Throws if a server uses the ledger.
    func refuseServers(report: (String) -> Void) throws(CopyError)
    /// Moves committed data into the ledger's own file.
    func flushJournal()
    /// A connection such as a server reads with, besides the one that copies.
    func serverConnection() throws(CopyError) -> any LedgerConnection
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

    /// At most `limit` rows after `key`, in the key's order.
    func page(of table: LedgerTable, after key: [Value]?, limit: Int64) throws(EngineError) -> [[Value]] {
        let sql = table.page(isFirst: key == nil)
        return try rows(sql, (key ?? []) + [.integer(limit)], as: table.columns.map(\.kind))
    }

    /// Runs a transaction that writes.
    func transaction<Result>(_ body: () throws(EngineError) -> Result) throws(CopyError) -> Result {
        try at(name) { () throws(EngineError) in
            do throws(EngineError) {
                try begin()
                let result = try body()
                try commit()
                return result
            } catch {
                rollback()
                throw error
            }
        }
    }
}
