public import Domain
public import LedgerInterface

/// An engine whose ledger several nodes share.
public protocol SharedLedgerEngine: LedgerEngine {
    /// Follows what all nodes commit, over one connection.
    func openLog(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerLog
    /// Listens for the commits of other nodes, and calls `onCommit` with the newest position. Returns when the
    /// connection breaks, with the reason, or when `isClosing` is true.
    func listen(isClosing: () -> Bool, onCommit: (Int64) -> Void) throws(EngineError)
}

/// A node's view of the log, and its place among the other nodes. Used by one thread.
public struct LedgerLog {
    public var queries: LedgerQueries
    public var membership: any NodeMembership

    public init(queries: LedgerQueries, membership: any NodeMembership) {
        self.queries = queries
        self.membership = membership
    }
}

/// Says that this node lives, and asks for the work that one node does for all.
public protocol NodeMembership: AnyObject {
    /// How long a lease lasts unless it is renewed, by the database's clock.
    static var leaseSeconds: Int { get }
    func renew() throws(EngineError) -> NodeStanding
    /// Remembers the newest entry that this node has published, by which it recognises the ledger's history.
    func published(_ entry: Entry)
    /// Lets another node have it at once.
    func resign()
    /// True when the ledger has lost commits that this node had seen, or has another epoch since. Then every cursor of
    /// the old epoch must mean nothing any more: the epoch is changed, once for all nodes, and this process has to begin
    /// again.
    func changeEpochIfLost() throws(EngineError) -> Bool
}

/// What the database says to a node that says that it lives.
public struct NodeStanding: Sendable {
    /// Whether the work that one node does for all is this node's.
    public var leads: Bool
    /// By the database's clock, which all nodes follow.
    public var now: Instant
    /// Whether a newer version has changed the tables, so that this one should let go.
    public var isOutdated: Bool

    public init(leads: Bool, now: Instant, isOutdated: Bool) {
        self.leads = leads
        self.now = now
        self.isOutdated = isOutdated
    }
}
