import Domain
import Glibc
import Support

/// The state of the ledger when a node opens it.
struct PostgresOpening {
    /// How long the nodes that live have to say that they lost nothing: a connection that was lost is tried again within 5
    /// seconds, and a node looks every 3 seconds.
    private static let patience = Duration.seconds(15)

    let epoch: String
    /// By which this node recognizes the timeline from now on.
    let newest: (position: Int64, committedAt: Instant)?
    /// Whether the epoch was changed because nobody knew what became of the ledger.
    let hasNewEpoch: Bool
    /// The ledger's own random text.
    let salt: String
    /// The database's time at the end, and the same moment on the monotonic clock.
    let time: (instant: Instant, readAt: MonotonicTime)

    /// Brings the tables up to date. Any number of nodes may do so at once; they decide about the timeline one after another.
    init(_ postgres: PostgresConnection, schema: String, partitionSize: Int64) throws(EngineError) {
        try PostgresSchema.migrate(postgres, schema: schema, size: partitionSize)
        let deadline = ContinuousClock.now + PostgresOpening.patience
        while true {
            let found = try PostgresSchema.locked(postgres, schema: schema) { () throws(EngineError) in
                // A copy may have begun since `migrate`; this transaction and the one that begins it exclude each other.
                guard try !PostgresSchema.hasCopyRecord(postgres, schema: schema) else {
                    throw PostgresSchema.halfOfACopy
                }
                let isPatient = ContinuousClock.now < deadline
                let decision = try PostgresOpening.decideTimeline(postgres, isPatient: isPatient)
                let epoch = try postgres.prepare("SELECT epoch FROM head").first { row in row.text(0) }
                let newest = try postgres.prepare(
                    "SELECT position, committed_at FROM entries ORDER BY position DESC LIMIT 1"
                ).first { row in (row.integer(0), Instant(milliseconds: row.integer(1))) }
                return (decision: decision, epoch: epoch ?? "", newest: newest)
            }
            if found.decision != .wait {
                epoch = found.epoch
                newest = found.newest
                hasNewEpoch = found.decision == .changeEpoch
                break
            }
            usleep(200_000)
        }
        salt = try postgres.prepare("SELECT value FROM meta WHERE key = 'erasure_key'").first { $0.text(0) } ?? ""
        time = try PostgresOpening.time(postgres)
    }

    private static func time(_ postgres: PostgresConnection) throws(EngineError) -> (Instant, MonotonicTime) {
        let sql = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)"
        let now = try postgres.prepare(sql).first { row in Instant(milliseconds: row.integer(0)) }
        guard let now else { throw .unanswered }
        return (now, monotonicNanoseconds())
    }

    private static func decideTimeline(
        _ postgres: PostgresConnection,
        isPatient: Bool
    ) throws(EngineError) -> TimelineDecision {
        let found = try DatabaseTimeline.read(postgres)
        let stored = try DatabaseTimeline.stored(postgres)
        // An hour: longer than PostgreSQL is away before an operator has promoted a standby.
        let witnesses = try postgres.prepare(
            "SELECT count(*) FROM nodes WHERE seen_at > clock_timestamp() - interval '1 hour'"
        ).first { row in Int(row.integer(0)) }
        let decision = TimelineDecision(
            stored: stored,
            found: found,
            witnesses: witnesses ?? 0,
            isPatient: isPatient
        )
        if decision == .changeEpoch {
            try postgres.prepare("UPDATE head SET epoch = ?").run([.text(Cursor.newEpoch())])
        }
        if decision == .changeEpoch || decision == .remember { try found.write(postgres) }
        return decision
    }
}

extension DatabaseTimeline {
    /// The timeline that the nodes have last stored.
    static func stored(_ postgres: PostgresConnection) throws(EngineError) -> DatabaseTimeline? {
        try postgres.prepare("SELECT value FROM meta WHERE key = 'history'").first { row in
            DatabaseTimeline(row.text(0))
        }
    }

    /// In the transaction that runs.
    func write(_ postgres: PostgresConnection) throws(EngineError) {
        try postgres.prepare(
            """
            INSERT INTO meta VALUES ('history', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value
                WHERE meta.value <> excluded.value
            """
        ).run([.text(description)])
    }
}
