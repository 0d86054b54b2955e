import Domain

/// What a copy takes over beside the rows.
struct CopiedState: Equatable {
    var head: Cursor
    /// The highest number that a job was given, even if that job is gone.
    var lastJob: Int64
    /// Changes with every commit.
    var stamp: String
}

/// The source or the target of a copy. Used by one thread. Everything but opening it happens in a transaction.
protocol CopySide: AnyObject {
    /// Safe to print.
    var name: String { get }
    var connection: any LedgerConnection { get }
    /// True if its texts can hold U+0000.
    var takesZeroBytes: Bool { get }
    /// Asks for one row: the epoch, the position, the last job and the stamp.
    static var stateQuery: String { get }

    /// Throws if a server uses the ledger.
    func refuseServers(report: (String) -> Void) throws(CopyError)
    /// Creates the tables of a target, unless they are there.
    func createTables() throws(EngineError)

    /// Shows one state of the ledger until `rollback`.
    func beginReading() throws(EngineError)
    /// Nobody else writes until the transaction ends; while it is `forOpening`, nobody opens the ledger either.
    func begin(forOpening: Bool) throws(EngineError)
    /// May throw what a statement before has failed with.
    func commit() throws(EngineError)
    func rollback()

    /// A node that opened the target before cannot commit to it afterwards.
    func set(_ state: CopiedState) throws(EngineError)
}

extension CopySide {
    /// Runs an operation of the engine, and names the ledger in which it failed.
    func trying<Value>(_ body: () throws(EngineError) -> Value) throws(CopyError) -> Value {
        do throws(EngineError) {
            return try body()
        } catch {
            throw CopyError("\(name): \(error.advice)")
        }
    }

    func run(_ sql: String, _ values: [Value] = []) throws(EngineError) { try connection.prepare(sql).run(values) }

    func number(_ sql: String, _ values: [Value] = []) throws(EngineError) -> Int64? {
        try connection.prepare(sql).first(values) { row in row.integer(0) }
    }

    func state() throws(EngineError) -> CopiedState {
        let found = try connection.prepare(Self.stateQuery).first { row in
            CopiedState(
                head: Cursor(epoch: row.text(0), position: row.integer(1)),
                lastJob: row.integer(2),
                stamp: row.text(3)
            )
        }
        guard let found else { throw .unanswered }
        return found
    }

    /// Calls `body` with the rows of a table, page by page, in the order of its key.
    func eachPage(of table: CopiedTable, _ body: ([[Value]]) throws(CopyError) -> Void) throws(CopyError) {
        var key: [Value]?
        while true {
            let page = try trying { () throws(EngineError) in
                try connection.prepare(table.page(isFirst: key == nil)).all(key ?? []) { table.values(of: $0) }
            }
            guard let last = page.last else { return }
            try body(page)
            key = Array(last.prefix(table.keyCount))
        }
    }
}

extension CopyError {
    static func missing(_ name: String) -> CopyError { CopyError("there is no ledger at \(name): check --from") }

    static func notALedger(_ name: String) -> CopyError {
        CopyError("\(name) is damaged, or not a ledger: check the path")
    }

    static func sameLedger(_ name: String) -> CopyError {
        CopyError("\(name) is the source and the target: name another --to")
    }

    static func unfinishedSource(_ name: String) -> CopyError {
        CopyError("\(name) cannot be copied: \(UnfinishedCopy.advice)")
    }

    static func served(_ name: String, by servers: String) -> CopyError {
        CopyError("\(name) is in use by \(servers): stop that first")
    }
}
