public import Domain
import Support

/// An engine whose ledger several nodes can share.
public protocol SharedLedgerEngine: LedgerEngine {
    /// Follows what all nodes commit, over one connection.
    func openLog(policy: AccessPolicy, streams: StreamPattern) throws(LedgerError) -> LedgerLog
    /// Receives messages from the other nodes and sends them those in `queue`, over one connection. Returns the reason
    /// when the connection breaks, and also returns when `queue` is closed.
    func listen(sending queue: NodeMessageQueue, hear: (NodeNews) -> Void) throws(EngineError)
}

/// A node's view of the log, and its place among the other nodes. One thread uses it, except for `published`.
public struct LedgerLog {
    public var queries: LedgerQueries
    public var membership: any NodeMembership
    /// Remembers the newest entry that this node has published, by which it recognizes the ledger's history. Any thread
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

/// Something that a node hears from the others.
public enum NodeNews: Sendable, Equatable {
    /// Notifications arrive from now on. Earlier ones were missed.
    case connected
    /// Notifications no longer arrive.
    case disconnected
    /// Everything up to this position has been committed.
    case position(Int64)
    case message(NodeMessage)
}

/// A message between nodes, outside the log. It may get lost.
public struct NodeMessage: Sendable, Equatable {
    /// Sent by a node of this ledger, of any version.
    public var body: [UInt8]
    /// The newest position that its sender knew to be committed. The message comes after it.
    public var position: Int64

    public init(body: [UInt8], after position: Int64) {
        self.body = body
        self.position = position
    }
}

/// When a lost server may be asked again: at once, then after 0.1 seconds, doubling up to 5, with jitter, so that the
/// nodes do not all come at the same moment.
public struct Reconnection: Sendable {
    private var failures = 0
    /// In nanoseconds of the monotonic clock.
    private var due: UInt64 = 0

    public init() {}

    public mutating func failed() {
        failures += 1
        let most = min(5.0, 0.1 * Double(1 << min(failures, 10)))
        due = monotonicNanoseconds() + UInt64(Double.random(in: 0.5...1) * most * 1e9)
    }

    /// How long until it may be tried again.
    public var delay: Duration {
        let now = monotonicNanoseconds()
        return .nanoseconds(Int64(clamping: due > now ? due - now : 0))
    }
}
