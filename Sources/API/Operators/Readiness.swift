public import APIModel
import Domain
import HTTP
public import Ledger
import Pages
import Support

extension Services {
    /// `GET /ready`.
    func ready() -> Answer {
        .later { [readiness] reply in
            readiness { readiness in
                reply.send(JSON.response(readiness.ready ? 200 : 503, body: readiness))
            }
        }
    }

    /// `GET /metrics`, on a worker: counting 50,000 open descriptors takes longer than a loop may stand still. When too much
    /// waits for the workers, an operator needs the numbers all the more.
    func metricsPage() -> Answer {
        .later { [workers, metrics] reply in
            let answer: WorkerPool.Task = {
                reply.send(
                    Response(status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8", body: metrics.page())
                )
            }
            if !workers.submit(answer) { answer() }
            return true
        }
    }
}

/// Answers `GET /ready`.
public struct Readiness: Codable, Sendable, Equatable {
    /// Whether there are no problems.
    public var ready: Bool
    /// Problems that stop the server, or will cost someone money: one sentence each, with what to do.
    public var problems: [String]
    /// Conditions that become problems unless someone acts: one sentence each.
    public var warnings: [String]
    /// How far this server's clock is off, once a store has said what time it is.
    public var clock: StoreClockAnswer?
    /// Only of a ledger in PostgreSQL, once it has answered.
    public var ledger: SharedLedgerAnswer?

    public init(
        problems: [String],
        warnings: [String],
        clock: StoreClockAnswer? = nil,
        ledger: SharedLedgerReport? = nil
    ) {
        self.clock = clock
        ready = problems.isEmpty
        self.problems = problems
        self.warnings = warnings
        self.ledger = ledger.map(SharedLedgerAnswer.init)
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

        fileprivate init(_ node: SharedLedgerReport.Node) {
            name = node.name
            silentSeconds = node.silentSeconds
            leads = node.leads
            version = node.version.isEmpty ? nil : node.version
        }
    }

    /// A setting that is not the same on all nodes.
    public struct Difference: Codable, Sendable, Equatable {
        public var setting: String
        /// ISO 8601, UTC.
        public var since: String
        /// The names of the nodes that agree with each other.
        public var nodes: [[String]]
    }

    /// PostgreSQL's version.
    public var postgresql: String
    /// The node that answers.
    @Nullable public var node: String?
    /// The nodes with a heartbeat in the last minute.
    public var nodes: [Node]
    public var differences: [Difference]
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

    fileprivate init(_ report: SharedLedgerReport) {
        postgresql = report.version
        nodes = report.nodes.map(Node.init)
        differences = report.differences.map {
            Difference(setting: $0.setting, since: $0.since.iso8601, nodes: $0.groups)
        }
        replication = report.replication.rawValue
        standbys = report.standbys
        queuePercent = report.queuePercent
        pooled = report.isPooled
        clockAheadSeconds = report.clockAhead / 1000
        node = report.asker
        lagBytes = report.lagBytes
    }
}
