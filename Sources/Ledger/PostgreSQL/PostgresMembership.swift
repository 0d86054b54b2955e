internal import Domain
internal import LedgerSQL

/// A node among the others: a row that says that it lives, and the lease of the work that one node does for all. Both
/// times are the database's.
final class PostgresMembership: NodeMembership {
    static let leaseSeconds = 10

    private let site: PostgresSite
    private let beat: Statement
    private let lease: Statement
    private let release: Statement
    private let changeEpoch: Statement
    private let standing: Statement

    init(_ connection: PostgresLedgerConnection, site: PostgresSite) throws(EngineError) {
        self.site = site
        beat = try connection.prepare(
            """
            INSERT INTO nodes (node, version, started_at, seen_at) VALUES (?, ?, clock_timestamp(), clock_timestamp())
            ON CONFLICT (node) DO UPDATE SET seen_at = excluded.seen_at
            """
        )
        // Whoever holds it keeps it; another node takes it once it has ended.
        lease = try connection.prepare(
            """
            INSERT INTO leases (name, node, ends_at)
            VALUES ('work', ?, clock_timestamp() + interval '\(PostgresMembership.leaseSeconds) seconds')
            ON CONFLICT (name) DO UPDATE SET node = excluded.node, ends_at = excluded.ends_at
                WHERE leases.node = excluded.node OR leases.ends_at < clock_timestamp()
            RETURNING 1
            """
        )
        standing = try connection.prepare(
            """
            SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT),
                (SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'schema')
            """
        )
        changeEpoch = try connection.prepare("UPDATE head SET epoch = ? WHERE epoch = ? RETURNING 1")
        release = try connection.prepare("DELETE FROM leases WHERE name = 'work' AND node = ? RETURNING 1")
    }

    func renew() throws(EngineError) -> NodeStanding {
        try beat.run([.text(site.node), .text(site.version)])
        let leads = try lease.first([.text(site.node)]) { _ in true } ?? false
        let told = try standing.first { row in (now: row.integer(0), schema: row.integer(1)) }
        guard let told else { throw .ofTheLedger("it has no clock", advice: "ask PostgreSQL why") }
        return NodeStanding(
            leads: leads,
            now: Instant(milliseconds: told.now),
            isOutdated: told.schema > PostgresSchema.newest
        )
    }

    func changeEpochIfLost() throws(EngineError) -> Bool {
        guard site.hasLost else { return false }
        _ = try changeEpoch.first([.text(Cursor.newEpoch()), .text(site.epoch)]) { _ in true }
        return true
    }

    func published(_ entry: Entry) { site.published(entry.position, committedAt: entry.committedAt) }

    func resign() {
        _ = try? release.first([.text(site.node)]) { _ in true }
    }
}
