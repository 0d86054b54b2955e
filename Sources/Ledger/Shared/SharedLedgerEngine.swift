public import Domain
public import LedgerInterface
public import LedgerSQL

/// An engine whose ledger several nodes share.
public protocol SharedLedgerEngine: LedgerEngine {
    /// Follows what all nodes commit, over one connection.
    func openLog(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerLog
    /// Hears from other nodes and sends them what is in `queue`, over one connection. Returns when the connection
    /// breaks, with the reason, or when `queue` is closed.
    func listen(sending queue: NodeMessageQueue, hear: (NodeNews) -> Void) throws(EngineError)
}

/// A node's view of the log, and its place among the other nodes. Used by one thread, but for `published`.
public struct LedgerLog {
    public var queries: LedgerQueries
    public var membership: any NodeMembership
    /// Remembers the newest entry that this node has published, by which it recognises the ledger's history. Any thread
    /// may call it.
    public var published: @Sendable (Entry) -> Void

    public init(
        queries: LedgerQueries,
        membership: any NodeMembership,
        published: @escaping @Sendable (Entry) -> Void
    ) {
        self.queries = queries
        self.membership = membership
        self.published = published
    }
}

/// What a node hears from the others.
public enum NodeNews: Sendable, Equatable {
    /// Notifications come through from now on. What was sent before this was not heard.
    case connected
    /// Notifications do not come through.
    case deaf
    /// Everything up to this position has been committed.
    case position(Int64)
    case message(NodeMessage)
}

/// What one node tells the others beside the log. It may get lost.
public struct NodeMessage: Sendable, Equatable {
    /// From a node of this ledger, of whatever version.
    public var body: [UInt8]
    /// What its sender knew to be committed. It comes after that.
    public var position: Int64

    public init(body: [UInt8], after position: Int64) {
        self.body = body
        self.position = position
    }
}
