public import Domain
public import LedgerInterface

/// A connection to a ledger, used by one thread. An engine is a type of them, and its tables.
public protocol LedgerConnection: AnyObject {
    func prepare(_ sql: String) throws(EngineError) -> Statement
    /// The table in which an event's id is unique, and leads to its position.
    var eventIDs: String { get }

    /// Begins a transaction that writes; no other one writes until it has ended.
    func begin() throws(EngineError)
    /// The newest position, in the transaction that runs.
    func head() throws(EngineError) -> Int64
    /// Whether this node still has the work under `lease`. Until the transaction ends, no other node gets it.
    func holds(_ lease: Lease) throws(EngineError) -> Bool
    /// Makes everything up to `head` durable. `instant` is the date of the entries that were added; nil when none was.
    func commit(head: Int64, entriesAt instant: Instant?) throws(EngineError)
    /// Tells other nodes of the last commit, once it is answered.
    func announce()
    /// Does nothing when the engine has rolled the transaction back already.
    func rollback() throws(EngineError)
    /// Waits until what was run so far has succeeded, or throws the first failure.
    func settle() throws(EngineError)
    /// False after a failure that undid the whole transaction.
    var isInTransaction: Bool { get }

    /// Begins a transaction that reads one snapshot, and returns its newest position.
    func beginReading() throws(EngineError) -> Int64
    func endReading() throws(EngineError)

    /// Whether other nodes write the ledger too. Then it is far away: many questions should be asked at once.
    var isShared: Bool { get }
    /// Lets `questions` run for nothing, only to learn what they ask, and then asks all of that at once; outside of a
    /// transaction, together with the beginning of the next one. The same questions find their answers there afterwards,
    /// until the next write. False when nothing new was asked.
    func readAhead(_ questions: () -> Void) throws(EngineError) -> Bool

    /// Whether what is deleted from now on is overwritten in the engine's files.
    func overwriteDeleted(_ isOn: Bool) throws(EngineError)
    /// Overwrites what older rows may have left in free space, outside of a transaction. False when that would take too
    /// long.
    func overwriteFreeSpace() throws(EngineError) -> Bool
    /// Empties what may still hold rows as they were, outside of a transaction. False when somebody reads it.
    func emptyJournal() throws(EngineError) -> Bool

    /// Why a commit would not be found after the next start; nil while it would.
    var problem: String? { get }
    /// Saves what can be saved after such a problem.
    func rescue() throws(EngineError) -> Rescue
    /// Pages that were written since the last call, for an engine that has to copy them later.
    func takePagesWritten() -> Int
    /// Call it after the last transaction.
    func finish()
}

/// What was saved of a ledger that lost its place.
public enum Rescue: Equatable {
    case nothing
    /// Everything is in the ledger's own file.
    case inPlace
    case copied(file: String)
    case failed(reason: String)
}

extension LedgerConnection {
    public func holds(_ lease: Lease) throws(EngineError) -> Bool { true }
    public var eventIDs: String { "events" }
    public func settle() throws(EngineError) {}
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
