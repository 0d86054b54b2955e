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
