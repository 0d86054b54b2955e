/// Answers `GET /ready`.
public struct Readiness: Codable, Sendable, Equatable {
    /// Whether there are no problems.
    public var ready: Bool
    /// Problems that stop the server, or will cost someone money: one sentence each, with what to do.
    public var problems: [String]
    /// Conditions that become problems unless someone acts: one sentence each.
    public var warnings: [String]
    /// Only of a ledger in PostgreSQL, once it has answered.
    public var ledger: SharedLedgerAnswer?

    public init(problems: [String], warnings: [String], ledger: SharedLedgerAnswer? = nil) {
        ready = problems.isEmpty
        self.problems = problems
        self.warnings = warnings
        self.ledger = ledger
    }
}

/// The nodes that share a ledger, and PostgreSQL's report about itself, as of this node's last heartbeat.
public struct SharedLedgerAnswer: Codable, Sendable, Equatable {
    public struct Node: Codable, Sendable, Equatable {
        public var name: String
        /// Paycast's version; null for an older node, which does not tell it.
        @Nullable public var version: String?
        /// The time since its last heartbeat.
        public var silentSeconds: Int64
        /// True if it does the leader's work.
        public var leads: Bool

        public init(name: String, version: String?, silentSeconds: Int64, leads: Bool) {
            self.name = name
            self.silentSeconds = silentSeconds
            self.leads = leads
            self.version = version
        }
    }

    /// PostgreSQL's version.
    public var postgresql: String
    /// The node that answers.
    @Nullable public var node: String?
    /// The nodes with a heartbeat in the last minute.
    public var nodes: [Node]
    /// `none`, `asynchronous` or `synchronous`.
    public var replication: String
    public var standbys: Int64
    /// The bytes that the slowest standby has not flushed yet; null without one, or if the user lacks `pg_monitor`.
    @Nullable public var lagBytes: Int64?
    /// The filled part of the notification queue.
    public var queuePercent: Int64
    /// True if there is a pooler between this node and PostgreSQL.
    public var pooled: Bool
    /// The seconds by which the clock of this node's machine is ahead of PostgreSQL's.
    public var clockAheadSeconds: Int64

    public init(
        postgresql: String,
        node: String?,
        nodes: [Node],
        replication: String,
        standbys: Int64,
        lagBytes: Int64?,
        queuePercent: Int64,
        pooled: Bool,
        clockAheadSeconds: Int64
    ) {
        self.postgresql = postgresql
        self.nodes = nodes
        self.replication = replication
        self.standbys = standbys
        self.queuePercent = queuePercent
        self.pooled = pooled
        self.clockAheadSeconds = clockAheadSeconds
        self.node = node
        self.lagBytes = lagBytes
    }
}
