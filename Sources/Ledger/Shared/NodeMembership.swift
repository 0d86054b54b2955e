public import LedgerInterface
internal import LedgerSQL

/// Says that this node lives, and asks for the work that one node does for all.
public protocol NodeMembership: AnyObject {
    /// How long a lease lasts unless it is renewed, by the database's clock.
    static var leaseSeconds: Int { get }
    func renew() throws(EngineError) -> NodeStanding
    /// What the server says of itself and of all nodes.
    func report() throws(EngineError) -> SharedLedgerReport
    /// Lets another node have the work at once, and is no longer one of the nodes.
    func resign()
    /// True when the ledger has lost commits that this node had seen, or has another epoch since. Then every cursor of
    /// the old epoch must mean nothing any more: the epoch is changed, once for all nodes, and this process has to begin
    /// again.
    func changeEpochIfLost() throws(EngineError) -> Bool
}
