public import Domain
public import LedgerInterface
internal import Rules

/// The writer's side of an engine: it lets decisions read (`StoredRows`), and writes what they return (`+Writing`). It
/// never leaves the writer's thread.
public struct LedgerRepository {
    let connection: any LedgerConnection
    let statements: WriterStatements
    public let epoch: String
    let erasureKey: ErasureKey
    private(set) var policy: AccessPolicy
    public let streams: StreamPattern
    let stored: StoredRows
    /// Everything that this transaction has read or changed.
    var known: IdentityMap
    /// The contracts whose access has to end, if they have been read in advance.
    var ended: [ContractKey]?
    /// The last row in `contracts`, once a transaction has created one.
    var lastContract: Int64?
    /// The position up to which the retention has checked the bodies that it had kept.
    var keptChecked: Int64 = 0
    /// The date of the entries that this transaction has added.
    var entriesAt: Instant?
    /// The number of contracts without a user at the beginning of the transaction; nil until it is needed.
    var unclaimed: Int?
    /// Results that this transaction has found or stored under keys, which are ASCII.
    var broadcasts: [String: MadeBroadcast?] = [:]
    /// True once an erasure has finished.
    var hasErased = false

    public init(
        _ connection: any LedgerConnection,
        epoch: String,
        policy: AccessPolicy,
        streams: StreamPattern
    ) throws(EngineError) {
        self.connection = connection
        statements = try WriterStatements(connection)
        erasureKey = try ErasureKey(statements.erasureKey)
        stored = StoredRows(connection, statements, erasureKey)
        known = IdentityMap(stored, head: 0)
        self.epoch = epoch
        self.policy = policy
        self.streams = streams
    }

    /// Commits from now on follow this policy.
    public mutating func adopt(_ policy: AccessPolicy) {
        self.policy = policy
    }
}

/// The ledger's place, and what it needs besides transactions.
extension LedgerRepository {
    public var isShared: Bool { connection.isShared }
    public var problem: String? { connection.problem }
    public func announce() { connection.announce() }
    public func rescue() throws(EngineError) -> Rescue { try connection.rescue() }
    public func takePagesWritten() -> Int { connection.takePagesWritten() }
    public func finish() { connection.finish() }
}

extension LedgerRepository {
    func cursor(_ position: Int64) -> Cursor { Cursor(epoch: epoch, position: position) }

    /// Decides, then writes the result. A trial writes nothing.
    mutating func decide<Value>(
        at now: Instant,
        isTrial: Bool = false,
        by decision: (inout UnitOfWork) throws -> Value
    ) throws(EngineError) -> Commit<Value> {
        let (value, changes) = try reading {
            var unit = UnitOfWork(known, policy: policy, streams: streams, epoch: epoch, now: now)
            let value = try decision(&unit)
            try unit.settle()
            return (value, try unit.finish())
        }
        if !isTrial { try write(changes, at: now) }
        known.endCommand()
        return Commit(value, changes: changes)
    }

    /// Only the engine fails in what reads the ledger.
    func reading<Value>(_ body: () throws -> Value) throws(EngineError) -> Value {
        do { return try body() } catch { throw error as? EngineError ?? .unanswered }
    }
}
