internal import Concurrency
internal import Domain
internal import LedgerInterface
internal import LedgerSQL
internal import Postgres
internal import SharedLedger

/// Commits of which a node does not know whether they are in: its own, when the connection broke before the answer, and
/// those that a failover may have taken back.
extension PostgresLedgerConnection {
    /// Asks on a new session. The head's lock waits for a predecessor that is still committing, and the node's row tells
    /// whether the batch is in.
    func hasCommitted(_ batch: Int64) throws(EngineError) -> Bool {
        let deadline = ContinuousClock.now + .seconds(5)
        while true {
            do throws(EngineError) {
                _ = try transaction(to: .confirm)
                let found = try engine { () throws(PostgresError) in
                    try postgres.prepare("SELECT batch FROM writers WHERE node = ?").first([.text(nodeState.node)]) {
                        row in
                        row.integer(0)
                    }
                }
                // A server that was restarted shows commits that no standby has. This one follows them to the standby, and is
                // answered when it is there: https://www.postgresql.org/docs/15/warm-standby.html#SYNCHRONOUS-REPLICATION
                try engine { () throws(PostgresError) in try postgres.commit() }
                return found == batch
            } catch {
                postgres.rollback()
                guard !nodeState.hasLost, ContinuousClock.now < deadline else { throw error }
                Waker().wait(timeout: max(reconnection.delay, .milliseconds(20)))
            }
        }
    }

    /// A promoted standby may have caught up with what this node has seen, by other commits at the same positions. The
    /// date of the newest entry that it knows tells, once for each session.
    func checkNewestEntry(_ newest: (position: Int64, committedAt: Instant)?) throws(EngineError) {
        guard checkedSession != postgres.session, let newest else { return }
        let found = try engine { () throws(PostgresError) in
            try postgres.prepare("SELECT committed_at FROM entries WHERE position = ?")
                .first([.integer(newest.position)]) { row in row.integer(0) }
        }
        guard found == newest.committedAt.milliseconds else { throw nodeState.lose() }
        checkedSession = postgres.session
    }
}
