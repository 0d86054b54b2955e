internal import Concurrency
internal import Domain
internal import LedgerInterface
internal import LedgerSQL
internal import Postgres
internal import SharedLedger

/// A node among the others: a row that says that it lives, and the lease of the work that one node does for all. Both
/// times are the database's.
final class PostgresMembership: NodeMembership {
    static let leaseSeconds = 10
    /// How many nanoseconds old the database's time may be for the clock to follow it.
    private static let freshness: UInt64 = 1_000_000_000

    let connection: PostgresLedgerConnection
    let nodeState: PostgresNodeState
    private let beat: Statement
    private let takeLease: Statement
    private let release: Statement
    private let leave: Statement
    private let inspection: PostgresInspection
    private let standing: Statement
    /// The session on which this node last compared timelines.
    var comparedSession = 0
    var change: TimelineChange?

    init(_ connection: PostgresLedgerConnection, nodeState: PostgresNodeState) throws(EngineError) {
        self.connection = connection
        self.nodeState = nodeState
        beat = try connection.prepare(
            """
            INSERT INTO nodes (node, version, started_at, seen_at) VALUES (?, ?, clock_timestamp(), clock_timestamp())
            ON CONFLICT (node) DO UPDATE SET seen_at = excluded.seen_at
            """
        )
        // Whoever holds it keeps it; another node takes it once it has ended.
        takeLease = try connection.prepare(
            """
            INSERT INTO leases (name, node, ends_at, number)
            VALUES ('work', ?, clock_timestamp() + interval '\(PostgresMembership.leaseSeconds) seconds', 1)
            ON CONFLICT (name) DO UPDATE SET node = excluded.node, ends_at = excluded.ends_at,
                number = leases.number + CASE WHEN leases.node = excluded.node THEN 0 ELSE 1 END
                WHERE leases.node = excluded.node OR leases.ends_at < clock_timestamp()
            RETURNING number
            """
        )
        standing = try connection.prepare(
            """
            SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT), \(StoredSchema.columns)
            """
        )
        // The row stays, so that numbers go on.
        release = try connection.prepare(
            "UPDATE leases SET ends_at = clock_timestamp() - interval '1 second' WHERE name = 'work' AND node = ?"
        )
        // Nobody has to wait until a node that has ended was silent for long enough.
        leave = try connection.prepare(
            """
            WITH gone AS (DELETE FROM nodes WHERE node = ? RETURNING node)
            DELETE FROM writers USING gone WHERE writers.node = gone.node
            """
        )
        inspection = PostgresInspection(connection.postgres, node: nodeState.node)
    }

    func renew() throws(EngineError) -> HeartbeatAnswer {
        // First, so that a node that has been seen since a promotion has compared what it knew.
        try confirmTimeline()
        try beat.run([.text(nodeState.node), .text(nodeState.version)])
        let lease = try takeLease.first([.text(nodeState.node)]) { row in Lease(number: row.integer(0)) }
        let asked = monotonicNanoseconds()
        let told = try standing.first { row in
            (now: row.integer(0), schema: StoredSchema(version: row.integer(1), compatibility: row.text(2)))
        }
        let took = monotonicNanoseconds() - asked
        guard let told else { throw .ofTheLedger("it has no clock", advice: "ask PostgreSQL why") }
        return HeartbeatAnswer(
            lease: lease,
            now: took < PostgresMembership.freshness ? Instant(milliseconds: told.now) : nil,
            isOutdated: !told.schema.admits(PostgresSchema.newest)
        )
    }

    func report() throws(EngineError) -> SharedLedgerReport {
        try engine { () throws(PostgresError) in try inspection.report() }
    }

    func resign() {
        try? release.run([.text(nodeState.node)])
        try? leave.run([.text(nodeState.node)])
        try? connection.confirmStatements()
    }
}
