import Domain
import Support

/// A node among the others: a row that says that it lives, by the database's clock, and its part in who leads.
///
/// The lease of the work that one node does for all is a row with an end by the same clock. Another node takes over what a
/// node that died had, with its first heartbeat after that end.
final class PostgresMembership {
    /// How many nanoseconds old the database's time may be for the clock to follow it.
    private static let freshness: UInt64 = 1_000_000_000

    /// The time after which a lease ends unless it is renewed.
    static let leaseSeconds = 10

    let connection: PostgresLedgerConnection
    var nodeState: PostgresNodeState { connection.nodeState }
    /// The session on which this node last compared timelines.
    var comparedSession = 0
    var change: TimelineChange?
    /// The digests of this node's settings as they are now.
    private let digests: () -> [String: [String]]
    /// The database's time, without a round trip.
    private let now: () -> Instant
    private var settings = NodeSettings()

    init(
        _ connection: PostgresLedgerConnection,
        digests: @escaping () -> [String: [String]] = { [:] },
        now: @escaping () -> Instant = { Clock().now() }
    ) {
        self.connection = connection
        self.digests = digests
        self.now = now
    }

    func renew() throws(EngineError) -> HeartbeatAnswer {
        // First, so that a node that has been seen since a promotion has compared what it knew.
        try confirmTimeline()
        settings.adopt(digests(), at: now())
        try connection.prepare(
            """
            INSERT INTO nodes (node, version, started_at, seen_at, settings, is_home)
            VALUES (?, ?, clock_timestamp(), clock_timestamp(), ?, ?)
            ON CONFLICT (node) DO UPDATE SET seen_at = excluded.seen_at, settings = excluded.settings,
                is_home = excluded.is_home
            """
        ).run([
            .text(nodeState.node), .text(nodeState.version), .text(settings.description),
            .integer(nodeState.isHome ? 1 : 0),
        ])
        let asked = monotonicNanoseconds()
        let told = try connection.prepare(
            "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT), (\(StoredSchema.query))"
        ).first { row in (now: row.integer(0), schema: StoredSchema(row.text(1))) }
        let took = monotonicNanoseconds() - asked
        guard let told else { throw .ofTheLedger("it has no clock", advice: "ask PostgreSQL why") }
        let isOutdated = !told.schema.admits(PostgresSchema.newest)
        // Whoever drains leaves the work to another node at once.
        if isOutdated {
            try? endLease()
            try? connection.confirmStatements()
        }
        return HeartbeatAnswer(
            lease: isOutdated ? nil : try takeLease(),
            now: took < PostgresMembership.freshness ? Instant(milliseconds: told.now) : nil,
            isOutdated: isOutdated
        )
    }

    /// Whoever holds it keeps it; another node takes it once it has ended.
    private func takeLease() throws(EngineError) -> Lease? {
        try connection.prepare(
            """
            INSERT INTO leases (name, node, ends_at, number)
            VALUES ('work', ?, clock_timestamp() + interval '\(PostgresMembership.leaseSeconds) seconds', 1)
            ON CONFLICT (name) DO UPDATE SET node = excluded.node, ends_at = excluded.ends_at,
                number = leases.number + CASE WHEN leases.node = excluded.node THEN 0 ELSE 1 END
                WHERE leases.node = excluded.node OR leases.ends_at < clock_timestamp()
            RETURNING number
            """
        ).first([.text(nodeState.node)]) { row in Lease(number: row.integer(0)) }
    }

    /// The row stays, so that numbers go on. Another node need not wait for the end.
    private func endLease() throws(EngineError) {
        try connection.prepare(
            "UPDATE leases SET ends_at = clock_timestamp() - interval '1 second' WHERE name = 'work' AND node = ?"
        ).run([.text(nodeState.node)])
    }

    /// PostgreSQL's report about itself and all nodes.
    func report() throws(EngineError) -> SharedLedgerReport {
        try PostgresInspection.report(connection.postgres, asker: nodeState.node)
    }

    /// Gives up the lease at once and removes this node.
    func resign() {
        try? endLease()
        // Nobody has to wait until a node that has ended was silent for long enough.
        try? connection.prepare(
            """
            WITH gone AS (DELETE FROM nodes WHERE node = ? RETURNING node)
            DELETE FROM writers USING gone WHERE writers.node = gone.node
            """
        ).run([.text(nodeState.node)])
        try? connection.confirmStatements()
    }
}

/// The database's answer to a heartbeat.
struct HeartbeatAnswer {
    /// The lease of the leader's work, if this node has it.
    var lease: Lease?
    /// The time by the database's clock, which all nodes follow. Nil if the answer took so long that it may be wrong by now.
    var now: Instant?
    /// True if a newer version has changed the tables: this node must drain.
    var isOutdated: Bool
}
