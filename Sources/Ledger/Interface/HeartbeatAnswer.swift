public import Domain

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
