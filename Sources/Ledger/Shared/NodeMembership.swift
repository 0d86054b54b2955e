public import Domain

/// Sends this node's heartbeats, and asks for the leader's work.
public protocol NodeMembership: AnyObject {
    /// The time after which a lease ends unless it is renewed, by the database's clock.
    static var leaseSeconds: Int { get }
    func renew() throws(EngineError) -> HeartbeatAnswer
    /// PostgreSQL's report about itself and all nodes.
    func report() throws(EngineError) -> SharedLedgerReport
    /// Gives up the lease at once and removes this node.
    func resign()
    /// True if the ledger has lost commits that this node had seen, or has a new epoch since. No cursor of the old
    /// epoch may count any more: the epoch is changed, once for all nodes, and this process has to restart.
    func changeEpochIfLost() throws(EngineError) -> Bool
}

/// The database's answer to a heartbeat.
public struct HeartbeatAnswer: Sendable {
    /// The lease of the leader's work, if this node has it.
    public var lease: Lease?
    /// The time by the database's clock, which all nodes follow. Nil if the answer took so long that it may be wrong by now.
    public var now: Instant?
    /// True if a newer version has changed the tables: this node must drain.
    public var isOutdated: Bool

    public init(lease: Lease?, now: Instant?, isOutdated: Bool) {
        self.lease = lease
        self.now = now
        self.isOutdated = isOutdated
    }
}

/// The right to do the leader's work. A commit made for it names this lease, and is refused once another node holds the
/// next one.
public struct Lease: Hashable, Sendable {
    /// Grows each time another node becomes the leader.
    public let number: Int64

    public init(number: Int64) {
        self.number = number
    }

    /// The lease of a ledger that only one node writes.
    public static let only = Lease(number: 0)
}
