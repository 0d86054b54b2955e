public import Domain

/// What the database says to a node that says that it lives.
public struct NodeStanding: Sendable {
    /// The work that one node does for all, when it is this node's.
    public var lease: Lease?
    /// By the database's clock, which all nodes follow. Nil when the answer took so long that it may no longer be true.
    public var now: Instant?
    /// Whether a newer version has changed the tables, so that this one should let go.
    public var isOutdated: Bool

    public init(lease: Lease?, now: Instant?, isOutdated: Bool) {
        self.lease = lease
        self.now = now
        self.isOutdated = isOutdated
    }
}
