public import Domain

/// Empties bodies and fragments that have passed the retention age. Positions, ids and outcomes stay.
extension LedgerRepository {
    /// The number of entries that one transaction examines: 3 ms, during which others wait.
    private static let entriesOfAStep = 50
    /// The number of bodies still to be forwarded that one transaction examines: 2 ms.
    private static let keptOfAStep = 500

    /// One step, for entries committed before `instant`. True if none is left.
    public mutating func emptyOld(before instant: Instant) throws(EngineError) -> Bool {
        try connection.overwriteDeleted(true)
        defer { try? connection.overwriteDeleted(false) }
        let done =
            try sql("SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'retained'")
            .first { row in row.integer() } ?? 0
        let limit = Value.integer(Int64(LedgerRepository.entriesOfAStep))
        let isThrough = try emptyForwarded()
        let next = try sql("SELECT position, committed_at FROM entries WHERE position > ? ORDER BY position LIMIT ?")
            .all([.integer(done), limit]) { row in (position: row.integer(), committedAt: row.instant()) }
        guard let last = next.prefix(while: { $0.committedAt < instant }).last?.position else {
            return isThrough
        }
        try sql(
            """
            INSERT INTO kept_bodies (position) SELECT DISTINCT position FROM jobs
            WHERE kind = 'forward' AND due_at IS NOT NULL AND position > ? AND position <= ?
            ON CONFLICT (position) DO NOTHING
            """
        ).run([.integer(done), .integer(last)])
        try sql(
            """
            UPDATE events SET body = ?3
            WHERE position > ?1 AND position <= ?2 AND length(body) > 0
                AND position NOT IN (SELECT position FROM kept_bodies WHERE position > ?1 AND position <= ?2)
            """
        ).run([.integer(done), .integer(last)], body: [])
        try emptyFragments(after: done, through: last)
        try setMeta("retained", "\(last)")
        return false
    }

    /// Empties bodies that were forwarded since they passed the retention age. A destination that is down for weeks
    /// keeps millions waiting, so each step continues where the last one stopped. True at the end.
    private mutating func emptyForwarded() throws(EngineError) -> Bool {
        let range: [Value] = [.integer(keptChecked), .integer(Int64(LedgerRepository.keptOfAStep))]
        // With EXISTS, PostgreSQL would read every waiting job first.
        let kept = try sql(
            """
            SELECT position, (
                SELECT 1 FROM jobs
                WHERE jobs.position = kept_bodies.position AND kind = 'forward' AND due_at IS NOT NULL LIMIT 1
            )
            FROM kept_bodies WHERE position > ? ORDER BY position LIMIT ?
            """
        ).all(range) { row in (position: row.integer(), isWaiting: !row.isNull()) }
        for body in kept where !body.isWaiting {
            try emptyBody(at: body.position)
            try sql("DELETE FROM kept_bodies WHERE position = ?").run([.integer(body.position)])
        }
        let isThrough = kept.count < LedgerRepository.keptOfAStep
        keptChecked = isThrough ? 0 : kept.last?.position ?? 0
        return isThrough
    }

    func emptyBody(at position: Int64) throws(EngineError) {
        try sql("UPDATE events SET body = ?2 WHERE position = ?1").run([.integer(position)], body: [])
    }

    /// Those of a stream and target at a position.
    func deleteFragments(at place: [Value]) throws(EngineError) {
        try sql("DELETE FROM fragments WHERE stream = ? AND collapse_key = ? AND position = ?").run(place)
    }

    private func emptyFragments(after first: Int64, through last: Int64) throws(EngineError) {
        let aged = try sql(
            """
            SELECT stream, collapse_key, position, ordinal, content FROM fragments
            WHERE position > ? AND position <= ? ORDER BY position, ordinal
            """
        ).all([.integer(first), .integer(last)]) { row in
            AgedFragment(
                stream: row.text(),
                key: row.text(),
                position: row.integer(),
                ordinal: row.integer(),
                content: row.text()
            )
        }
        for fragment in aged {
            try sql("DELETE FROM fragments WHERE stream = ? AND collapse_key = ? AND position < ?").run(fragment.place)
            let isSuperseded =
                try sql("SELECT 1 FROM fragments WHERE stream = ? AND collapse_key = ? AND position > ? LIMIT 1")
                .first(fragment.place) { _ in true } ?? false
            if fragment.key.isEmpty || !isSuperseded && !fragment.showsState {
                try sql(
                    """
                    UPDATE fragments SET action = 'refresh', target = NULL, targets = NULL, content = 'none', template = NULL,
                        body = NULL
                    WHERE stream = ? AND collapse_key = ? AND position = ? AND ordinal = ?
                    """
                ).run(fragment.place + [.integer(fragment.ordinal)])
            } else if isSuperseded {
                try deleteFragments(at: fragment.place)
            }
        }
    }
}

/// A fragment that has passed the retention age, once everything older in its stream and target is gone.
private struct AgedFragment {
    var stream: String
    var key: String
    var position: Int64
    var ordinal: Int64
    var content: String

    /// Its stream, target and position.
    var place: [Value] { [.text(stream), .text(key), .integer(position)] }

    /// A fragment that shows the user's state stays until a newer one does, because a page that comes without a cursor
    /// gets it. An app's markup goes, and so does what is news; a page with an older cursor reloads instead.
    var showsState: Bool { (content == "template" || content == "none") && !CollapseKey(key).isNews }
}
