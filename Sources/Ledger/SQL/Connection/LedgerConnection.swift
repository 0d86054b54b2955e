public import Domain

/// A connection to a ledger, used by one thread. An engine is one implementation, with its tables.
public protocol LedgerConnection: AnyObject {
    func prepare(_ sql: String) throws(EngineError) -> Statement
    func prepare(_ insertion: Insertion) throws(EngineError) -> Statement
    /// An `UPDATE` that may wait, with rows that are inserted, until the transaction reads again or ends.
    func prepare(waiting update: String) throws(EngineError) -> Statement
    /// The table in which an event's id is unique, and leads to its position.
    var eventIDs: String { get }

    /// Begins a transaction that writes; no other one can write until it has ended.
    func begin() throws(EngineError)
    /// The newest position, in the running transaction.
    func head() throws(EngineError) -> Int64
    /// Makes everything up to `head` durable. `instant` is the date of the entries that were added; nil if none was.
    func commit(head: Int64, entriesAt instant: Instant?) throws(EngineError)
    /// Does nothing if the engine has already rolled the transaction back.
    func rollback() throws(EngineError)
    /// False after a failure that undid the whole transaction.
    var isInTransaction: Bool { get }

    /// Begins a transaction that reads one snapshot, and returns its newest position.
    func beginReading() throws(EngineError) -> Int64
    func endReading() throws(EngineError)
}

extension LedgerConnection {
    public func prepare(_ insertion: Insertion) throws(EngineError) -> Statement { try prepare(insertion.sql()) }
    public func prepare(waiting update: String) throws(EngineError) -> Statement { try prepare(update) }
    public var eventIDs: String { "events" }

    /// What only a ledger in a file has to do. A database has its own ways.
    var file: SQLiteConnection? { self as? SQLiteConnection }
    func overwriteDeleted(_ isOn: Bool) throws(EngineError) { try file?.setOverwriting(isOn) }
}

/// A connection to an engine that other nodes write too. It is far away, and many questions should be asked at once.
public protocol SharedLedgerConnection: LedgerConnection {
    /// True if this node still holds `lease`. No other node can get the next one until the transaction ends.
    func holds(_ lease: Lease) throws(EngineError) -> Bool
    /// Tells the other nodes about the last commit, once it is answered.
    func notifyNodes()
    /// Waits until every statement so far has succeeded, or throws the first failure.
    func confirmStatements() throws(EngineError)
    /// Runs `questions` without results to learn their queries, then sends all queries at once: outside a transaction,
    /// together with the start of the next one. Asking again finds the answers until the next write. False if nothing
    /// new was asked.
    func readAhead(_ questions: () -> Void) throws(EngineError) -> Bool
}

/// Opens a ledger: once for the thread that writes, and once for the thread that reads.
public protocol LedgerEngine: Sendable {
    /// Creates the ledger if it does not exist, and brings its tables up to date.
    func openRepository(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerRepository
    /// Call it after the store is open.
    func openQueries(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerQueries
}
