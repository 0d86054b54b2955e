public import Domain

/// A connection to a ledger, used by one thread. An engine is one implementation, with its tables.
protocol LedgerConnection: AnyObject {
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

    /// Runs `questions` without results to learn their queries, then sends all queries at once: outside a transaction,
    /// together with the start of the next one. Asking again finds the answers until the next write. False if nothing
    /// new was asked. Only an engine that is far away does it.
    func readAhead(_ questions: () -> Void) throws(EngineError) -> Bool
    /// Waits until every statement so far has succeeded, or throws the first failure.
    func confirmStatements() throws(EngineError)
    /// True if this node still holds `lease`. No other node can get the next one until the transaction ends.
    func holds(_ lease: Lease) throws(EngineError) -> Bool
    /// Tells the other nodes about the last commit, once it is answered.
    func notifyNodes()
}

/// What an engine is when nobody else writes its ledger, and it answers at once.
extension LedgerConnection {
    func prepare(_ insertion: Insertion) throws(EngineError) -> Statement { try prepare(insertion.sql()) }
    func prepare(waiting update: String) throws(EngineError) -> Statement { try prepare(update) }
    var eventIDs: String { "events" }
    func readAhead(_ questions: () -> Void) throws(EngineError) -> Bool { false }
    func confirmStatements() throws(EngineError) {}
    func holds(_ lease: Lease) throws(EngineError) -> Bool { true }
    func notifyNodes() {}
}

extension LedgerConnection {
    /// What only a ledger in a file has to do. A database has its own ways.
    var file: SQLiteConnection? { self as? SQLiteConnection }
    /// True if other nodes write the ledger too, and each question is a round trip.
    var isShared: Bool { file == nil }
    func overwriteDeleted(_ isOn: Bool) throws(EngineError) { try file?.setOverwriting(isOn) }
}

/// Opens a ledger: once for the thread that writes, and once for the thread that reads.
public protocol LedgerEngine: Sendable {
    /// Creates the ledger if it does not exist, and brings its tables up to date.
    func openRepository(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerRepository
    /// Call it after the store is open.
    func openQueries(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerQueries
}
