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
    /// True if this node still holds `lease`. No other node can get the next one until the transaction ends.
    func holds(_ lease: Lease) throws(EngineError) -> Bool
    /// Makes everything up to `head` durable. `instant` is the date of the entries that were added; nil if none was.
    func commit(head: Int64, entriesAt instant: Instant?) throws(EngineError)
    /// Tells the other nodes about the last commit, once it is answered.
    func announce()
    /// Does nothing if the engine has already rolled the transaction back.
    func rollback() throws(EngineError)
    /// Waits until every statement so far has succeeded, or throws the first failure.
    func confirmStatements() throws(EngineError)
    /// False after a failure that undid the whole transaction.
    var isInTransaction: Bool { get }

    /// Begins a transaction that reads one snapshot, and returns its newest position.
    func beginReading() throws(EngineError) -> Int64
    func endReading() throws(EngineError)

    /// True if other nodes write the ledger too. The engine is then far away, and many questions should be asked at
    /// once.
    var isShared: Bool { get }
    /// Runs `questions` without results to learn their queries, then sends all queries at once: outside a transaction,
    /// together with the start of the next one. Asking again finds the answers until the next write. False if nothing
    /// new was asked.
    func readAhead(_ questions: () -> Void) throws(EngineError) -> Bool

    /// True if deleted data is overwritten in the engine's files from now on.
    func overwriteDeleted(_ isOn: Bool) throws(EngineError)
    /// Overwrites what older rows may have left in free space, outside a transaction. False if that would take too
    /// long.
    func overwriteFreeSpace() throws(EngineError) -> Bool
    /// Empties the files that may still hold old rows, outside a transaction. False if a reader uses them.
    func emptyJournal() throws(EngineError) -> Bool

    /// The reason why a commit would be lost at the next start; nil if it would be kept.
    var problem: String? { get }
    /// Saves as much as possible after such a problem.
    func rescue() throws(EngineError) -> Rescue
    /// The number of pages written since the last call, for an engine that has to copy them later.
    func takePagesWritten() -> Int
    /// Call it after the last transaction.
    func finish()
}

extension LedgerConnection {
    public func prepare(_ insertion: Insertion) throws(EngineError) -> Statement { try prepare(insertion.sql) }
    public func prepare(waiting update: String) throws(EngineError) -> Statement { try prepare(update) }
    public func holds(_ lease: Lease) throws(EngineError) -> Bool { true }
    public var eventIDs: String { "events" }
    public func confirmStatements() throws(EngineError) {}
    public func announce() {}
    public var isShared: Bool { false }
    public func readAhead(_ questions: () -> Void) throws(EngineError) -> Bool { false }
    public func overwriteDeleted(_ isOn: Bool) throws(EngineError) {}
    public func overwriteFreeSpace() throws(EngineError) -> Bool { true }
    public func emptyJournal() throws(EngineError) -> Bool { true }
    public var problem: String? { nil }
    public func rescue() throws(EngineError) -> Rescue { .nothing }
    public func takePagesWritten() -> Int { 0 }
    public func finish() {}
}

/// Opens a ledger: once for the thread that writes, and once for the thread that reads.
public protocol LedgerEngine: Sendable {
    /// Creates the ledger if it does not exist, and brings its tables up to date.
    func openRepository(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerRepository
    /// Call it after the store is open.
    func openQueries(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerQueries
}
