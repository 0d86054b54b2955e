/// What the server that keeps a shared ledger says of itself and of the nodes, for whoever looks for a fault.
public struct SharedLedgerReport: Sendable, Equatable {
    public struct Node: Sendable, Equatable {
        public var name: String
        /// Of Paycast; empty for a node that does not say.
        public var version: String
        /// How long ago it said that it lives.
        public var silentSeconds: Int64
        /// Whether it does the work that one node does for all.
        public var leads: Bool

        public init(name: String, version: String, silentSeconds: Int64, leads: Bool) {
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
        /// A commit waits for a standby, whether one follows at the moment or not.
        case synchronous
    }

    /// Such as `15.14`.
    public var version = ""
    /// Those that said so within the last minute, by name. Empty when there is no ledger yet.
    public var nodes: [Node] = []
    /// The node that asked; nil when it was none.
    public var asker: String?
    public var replication = Replication.none
    public var standbys: Int64 = 0
    /// How much the last standby has still to flush; nil without one, and when this user may not know.
    public var lagBytes: Int64?
    /// How much of the notification queue is filled, in percent, rounded down. When it is full, whoever notifies fails.
    public var queuePercent: Int64 = 0
    /// Whether a pooler stands between.
    public var isPooled = false
    /// Whether another ledger is being copied into it.
    public var isUnfinishedCopy = false
    /// How far the asker's clock is ahead of the server's, in milliseconds.
    public var clockAhead: Int64 = 0

    public init() {}

    /// The versions that run at once, of which there are two while nodes are replaced.
    public var versions: [String] { Set(nodes.map(\.version)).sorted() }

    /// As it is `seconds` later, for whoever has not asked again.
    public func aged(seconds: Int64) -> SharedLedgerReport {
        var later = self
        for index in later.nodes.indices { later.nodes[index].silentSeconds += seconds }
        return later
    }
}

extension SharedLedgerReport {
    /// Of 8 GB: 160 MB that some session has not taken, where a server at peace has none. PostgreSQL's own log warns at 50.
    static let queueLimit: Int64 = 2
    /// Nodes follow the server's clock, so this tells of a machine whose clock is wrong.
    static let clockLimit: Int64 = 2000

    /// One sentence each, with what to do.
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
