import Domain

/// A database that changed to another timeline while this node ran. Times are the database's, in milliseconds.
struct TimelineChange {
    /// How long the other nodes have to come back. A connection that was lost is tried again within 5 seconds, and a node
    /// looks every 3 seconds.
    static let patience: Int64 = 15_000
    /// Longer than three beats.
    private static let silence: Int64 = 10_000

    /// When this node was last seen on the former timeline, as far as that was replicated.
    var livedAt: Int64
    /// When this node saw the change.
    var seenAt: Int64

    /// Nodes that lived then, and not since, have seen commits of which nobody knows whether they are here.
    var dead: ClosedRange<Int64> { min(livedAt - TimelineChange.silence, seenAt)...seenAt }

    func isOver(at now: Int64) -> Bool { now > seenAt + TimelineChange.patience }
}

extension PostgresMembership {
    /// Compares timelines, once for each session; behind a pooler, one session may lead to another server. When everything
    /// that this node has seen is on the server's new timeline, and all nodes that were alive have come back and agree,
    /// the new timeline is stored. When one does not come back, the ledger counts as having lost what that node had seen.
    func confirmTimeline() throws(EngineError) {
        let postgres = connection.postgres
        guard !postgres.isOpen || postgres.session != comparedSession || postgres.isPooled else { return }
        defer { postgres.rollback() }
        _ = try connection.beginReading()
        let (found, stored) = (try DatabaseTimeline.read(postgres), try DatabaseTimeline.stored(postgres))
        let isNew = stored.map { !$0.isSame(as: found) } ?? true
        if isNew {
            let (now, missing) = try missingNodes()
            if missing > 0, change?.isOver(at: now) == true { throw nodeState.lose() }
            if missing > 0 { return }
        }
        let known = isNew ? found : found.completed(by: stored)
        if known != stored {
            postgres.rollback()
            try postgres.begin()
            try known.write(postgres)
            try postgres.commit()
        }
        change = nil
        comparedSession = postgres.session
    }

    /// The time, and how many nodes lived when this one did and have not been seen since the change.
    private func missingNodes() throws(EngineError) -> (now: Int64, count: Int64) {
        let postgres = connection.postgres
        let times = try postgres.prepare(
            """
            SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT),
                (SELECT CAST(extract(epoch FROM seen_at) * 1000 AS BIGINT) FROM nodes WHERE node = ?)
            """
        ).first([.text(nodeState.node)]) { row in (now: row.integer(0), lived: row.isNull(1) ? nil : row.integer(1)) }
        let now = times?.now ?? 0
        // A node whose row was not replicated began a moment ago, or the standby was cut off before.
        let change = change ?? TimelineChange(livedAt: times?.lived ?? now - 3_600_000, seenAt: now)
        self.change = change
        let count = try postgres.prepare(
            """
            SELECT count(*) FROM nodes
            WHERE node <> ? AND CAST(extract(epoch FROM seen_at) * 1000 AS BIGINT) BETWEEN ? AND ?
            """
        ).first([.text(nodeState.node), .integer(change.dead.lowerBound), .integer(change.dead.upperBound)]) { row in
            row.integer(0)
        }
        return (now, count ?? 0)
    }

    /// True if the ledger has lost commits that this node had seen, or has a new epoch since. No cursor of the old
    /// epoch may count any more: the epoch is changed, once for all nodes, and this process has to restart.
    func changeEpochIfLost() throws(EngineError) -> Bool {
        guard nodeState.hasLost else { return false }
        let postgres = connection.postgres
        postgres.rollback()
        try postgres.begin()
        let changed = try postgres.prepare("UPDATE head SET epoch = ? WHERE epoch = ? RETURNING 1")
            .first([.text(Cursor.newEpoch()), .text(nodeState.epoch)]) { _ in true }
        // Otherwise the next node that starts would change it once more.
        if changed == true { try DatabaseTimeline.read(postgres).write(postgres) }
        try postgres.commit()
        return true
    }
}
