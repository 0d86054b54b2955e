/// The SQL of the retention, prepared for each step.
struct RetentionStatements {
    let mark, setMark, aged: Statement
    let keepBodies, emptyBodies, kept, emptyBody, forgetKept: Statement
    let fragments, deleteOlder, newer, delete, refresh: Statement

    init(_ connection: any LedgerConnection) throws(EngineError) {
        mark = try connection.prepare("SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'retained'")
        setMark = try connection.prepare(
            "INSERT INTO meta VALUES ('retained', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        )
        aged = try connection.prepare(
            "SELECT position, committed_at FROM entries WHERE position > ? ORDER BY position LIMIT ?"
        )
        keepBodies = try connection.prepare(
            """
            INSERT INTO kept_bodies (position) SELECT DISTINCT position FROM jobs
            WHERE kind = 'forward' AND due_at IS NOT NULL AND position > ? AND position <= ?
            ON CONFLICT (position) DO NOTHING
            """
        )
        emptyBodies = try connection.prepare(
            """
            UPDATE events SET body = ?3
            WHERE position > ?1 AND position <= ?2 AND length(body) > 0
                AND position NOT IN (SELECT position FROM kept_bodies WHERE position > ?1 AND position <= ?2)
            """
        )
        // With EXISTS, PostgreSQL would read every waiting job first.
        kept = try connection.prepare(
            """
            SELECT position, (
                SELECT 1 FROM jobs
                WHERE jobs.position = kept_bodies.position AND kind = 'forward' AND due_at IS NOT NULL LIMIT 1
            )
            FROM kept_bodies WHERE position > ? ORDER BY position LIMIT ?
            """
        )
        emptyBody = try connection.prepare("UPDATE events SET body = ?2 WHERE position = ?1")
        forgetKept = try connection.prepare("DELETE FROM kept_bodies WHERE position = ?")
        fragments = try connection.prepare(
            """
            SELECT stream, collapse_key, position, ordinal, content FROM fragments
            WHERE position > ? AND position <= ? ORDER BY position, ordinal
            """
        )
        deleteOlder = try connection.prepare(
            "DELETE FROM fragments WHERE stream = ? AND collapse_key = ? AND position < ?"
        )
        newer = try connection.prepare(
            "SELECT 1 FROM fragments WHERE stream = ? AND collapse_key = ? AND position > ? LIMIT 1"
        )
        delete = try connection.prepare(
            "DELETE FROM fragments WHERE stream = ? AND collapse_key = ? AND position = ?"
        )
        refresh = try connection.prepare(
            """
            UPDATE fragments SET action = 'refresh', target = NULL, targets = NULL, content = 'none', template = NULL,
                body = NULL
            WHERE stream = ? AND collapse_key = ? AND position = ? AND ordinal = ?
            """
        )
    }
}
