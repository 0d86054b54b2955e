internal import Concurrency
internal import LedgerInterface
internal import Postgres
internal import SharedLedger

/// A commit of which this node does not know whether it is in, because the connection broke before the answer.
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
}
