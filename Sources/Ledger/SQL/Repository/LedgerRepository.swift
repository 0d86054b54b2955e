public import Domain
public import LedgerInterface
internal import Rules

/// The writer's side of an engine: it loads what a command's decision needs (`+Loading`), and writes what the decision
/// returns (`+Writing`). It never leaves the writer's thread.
public struct LedgerRepository {
    let connection: any LedgerConnection
    let statements: WriterStatements
    public let epoch: String
    let erasureKey: ErasureKey
    private(set) var policy: AccessPolicy
    let streams: StreamPattern
    /// Everything that this transaction has loaded.
    var known = WorkingSet(head: 0)
    /// The rows of the contracts in `known`.
    var rows: [ContractKey: Int64] = [:]
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
    /// True if the ledger has traces of an erasure; nil until a transaction asks.
    var hasErasures: Bool?

    public init(
        _ connection: any LedgerConnection,
        epoch: String,
        policy: AccessPolicy,
        streams: StreamPattern
    ) throws(EngineError) {
        self.connection = connection
        statements = try WriterStatements(connection)
        erasureKey = try ErasureKey(statements.erasureKey)
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

    /// Repeats `decision` until everything that it needs is loaded, then writes the result. A trial keeps the changes
    /// in memory and writes nothing.
    mutating func decide<Value>(
        at now: Instant,
        isTrial: Bool = false,
        by decision: (inout UnitOfWork) throws(Missing) -> Value
    ) throws(EngineError) -> Commit<Value> {
        while true {
            switch attempt(decision, at: now) {
            case .failure(var missing):
                repeat {
                    for need in missing.needs { try load(need) }
                } while missing.advance(in: known)
            case .success(let made):
                if !isTrial { try write(made.changes, at: now) }
                known.adopt(made.draft)
                return Commit(made.value, changes: made.changes)
            }
        }
    }

    private struct Decision<Value> {
        var value: Value
        var changes: Changes
        var draft: WorkingSet
    }

    /// A separate function, so that the unit of work has released its reference to `known` before that changes: it
    /// would be copied.
    private func attempt<Value>(
        _ decision: (inout UnitOfWork) throws(Missing) -> Value,
        at now: Instant
    ) -> Result<Decision<Value>, Missing> {
        var unit = UnitOfWork(known, policy: policy, streams: streams, epoch: epoch, now: now)
        do throws(Missing) {
            let value = try decision(&unit)
            try unit.settle()
            let (changes, draft) = unit.finish()
            return .success(Decision(value: value, changes: changes, draft: draft))
        } catch {
            return .failure(error)
        }
    }
}
