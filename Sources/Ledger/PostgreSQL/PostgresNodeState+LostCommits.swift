internal import Domain
internal import LedgerInterface
internal import Postgres

/// How a node notices that a failover has taken back what was committed: each transaction shows the newest position, and each
/// session the newest entry. What the node then does is in `PostgresMembership+TimelineChange.swift`.
extension PostgresNodeState {
    /// Throws when the server knows less than this node had seen `before`: a failover has lost commits, whose positions
    /// would be given to other entries.
    func see(_ position: Int64, epoch: String, atLeast before: Int64) throws(EngineError) {
        guard epoch == self.epoch, position >= before else { throw lose() }
        committed(position)
    }

    func lose() -> EngineError {
        markLost()
        return PostgresNodeState.lostCommits
    }

    private static let lostCommits = EngineError.ofTheLedger(
        "it knows less than this server has seen",
        advice: "PostgreSQL has lost commits in a failover, or was restored: this server begins again with a new epoch"
    )
}

extension PostgresLedgerConnection {
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
