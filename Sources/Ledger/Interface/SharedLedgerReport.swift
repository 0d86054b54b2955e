public import Domain

/// PostgreSQL's report about itself and the nodes that share its ledger. `/ready` and `doctor` show it.
public struct SharedLedgerReport: Sendable, Equatable {
    public struct Node: Sendable, Equatable {
        public var name: String
        /// Paycast's version; empty if the node has not told it.
        public var version: String
        /// The time since its last heartbeat.
        public var silentSeconds: Int64
        /// True if this node does the leader's work.
        public var leads: Bool
        /// Empty if the node has not told them.
        public var settings: NodeSettings

        public init(
            name: String,
            version: String,
            silentSeconds: Int64,
            leads: Bool,
            settings: NodeSettings = NodeSettings()
        ) {
            self.settings = settings
            self.name = name
            self.version = version
            self.silentSeconds = silentSeconds
            self.leads = leads
        }
    }

    public enum Replication: String, Sendable {
        /// No standby follows.
        case none
        /// A failover may lose the last commits.
        case asynchronous
        /// A commit waits for a standby, even while none is connected.
        case synchronous
    }

    /// PostgreSQL's version, such as `15.14`.
    public var version = ""
    /// The nodes with a heartbeat in the last minute, by name. Empty if there is no ledger yet.
    public var nodes: [Node] = []
    /// The node that asked; nil if no node did.
    public var asker: String?
    public var replication = Replication.none
    public var standbys: Int64 = 0
    /// The number of bytes that the slowest standby has not flushed yet; nil without a standby, or if this user may not
    /// see it.
    public var lagBytes: Int64?
    /// The filled part of the notification queue, in percent, rounded down. Every NOTIFY fails when the queue is full.
    public var queuePercent: Int64 = 0
    /// True if there is a pooler in front of PostgreSQL.
    public var isPooled = false
    /// Why this version cannot work on the tables; nil if it can.
    public var refusal: LedgerError?
    /// True if another ledger is being copied into this one.
    public var isUnfinishedCopy = false
    /// The time by which the asker's clock is ahead of the server's, in milliseconds.
    public var clockAhead: Int64 = 0

    /// The time by the server's clock.
    public var now = Instant(milliseconds: 0)

    public init() {}

    /// The versions that run at the same time: two while nodes are being replaced.
    public var versions: [String] { Set(nodes.map(\.version)).sorted() }

    /// The same report `seconds` later, for a caller that has not asked again.
    public func aged(seconds: Int64) -> SharedLedgerReport {
        var later = self
        for index in later.nodes.indices { later.nodes[index].silentSeconds += seconds }
        later.now = now + .seconds(seconds)
        return later
    }
}

extension SharedLedgerReport {
    /// Percent of 8 GB. 2 % is 160 MB that some session has not read; a healthy server has none. PostgreSQL itself
    /// warns at 50.
    static let queueLimit: Int64 = 2
    /// Milliseconds. Nodes follow the server's clock, so a larger difference means that a machine's clock is wrong.
    static let clockLimit: Int64 = 2000

    /// One sentence for each problem, with its remedy.
    public var warnings: [String] {
        var told: [String] = []
        if queuePercent >= SharedLedgerReport.queueLimit {
            let todo = "end the session that listens and stays in a transaction (pg_stat_activity names it)"
            told.append(
                "PostgreSQL's notification queue is \(queuePercent) % full, and NOTIFY fails when it is full: \(todo)"
            )
        }
        if abs(clockAhead) > SharedLedgerReport.clockLimit {
            let seconds = abs(clockAhead) / 1000
            let way = clockAhead < 0 ? "behind" : "ahead of"
            told.append("this machine's clock is \(seconds) s \(way) PostgreSQL's: synchronize both (NTP)")
        }
        return told
    }
}
