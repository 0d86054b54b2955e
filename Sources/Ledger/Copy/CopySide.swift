internal import Domain
internal import LedgerInterface
internal import LedgerSQL

/// A ledger that is copied from, or into. Used by one thread.
protocol CopySide: AnyObject {
    /// Safe to print.
    var name: String { get }
    /// Whether its texts take U+0000.
    var takesZeroBytes: Bool { get }

    /// Creates the tables of a target, unless they are there.
    func createTables() throws(CopyError)
    func isUnfinishedCopy() throws(CopyError) -> Bool
    /// What a copy has to hold.
    func tables() throws(CopyError) -> [LedgerTable]
    func head() throws(CopyError) -> Cursor
    /// Changes with everything that is committed.
    func stamp() throws(CopyError) -> String
    /// The highest number that the database itself has given to a row of each table, even if that row is gone.
    func lastNumbers() throws(CopyError) -> [String: Int64]

    /// A text that is not UTF-8 comes as bytes.
    func rows(_ sql: String, _ values: [Value], as kinds: [LedgerTable.Kind]) throws(EngineError) -> [[Value]]
    /// May fail as late as at the commit.
    func run(_ sql: String, _ values: [Value]) throws(EngineError)
    /// Shows one state of the ledger until `rollback`.
    func beginReading() throws(EngineError)
    /// Asks something, in the transaction that runs or in one of its own.
    func reading<Result>(_ body: () throws(EngineError) -> Result) throws(CopyError) -> Result
    func begin() throws(EngineError)
    func commit() throws(EngineError)
    func rollback()

    /// `tables` are in order: what refers to others comes behind them.
    func clear(_ tables: [LedgerTable]) throws(EngineError)
    /// In a transaction that writes: keeps everybody from opening the ledger and from writing to it until the end of that
    /// transaction.
    func excludeOthers() throws(EngineError)
    /// Makes the partitions that rows up to `head` belong in, and takes its epoch, so that a node that opened the target
    /// before the copy began cannot commit to it.
    func makeRoom(upTo head: Cursor) throws(EngineError)
    func set(_ head: Cursor, lastNumbers: [String: Int64]) throws(EngineError)
    /// Throws when a server uses it.
    func refuseServers(report: (String) -> Void) throws(CopyError)
    /// Makes what was committed show in the ledger's own file.
    func settle()
    /// A server's connection for reading, besides the one that copies.
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
