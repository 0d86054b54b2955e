import Domain
import Ledger
import TestSupport

@testable import PostgresLedger

/// A ledger in PostgreSQL as the first version made it, with rows of a real one, and what a node of that version writes.
struct OldLedger {
    static let tables = [
        "entries", "events", "fragments", "contracts", "orders", "tokens", "claims", "shares", "transfers",
        "tombstones",
        "kept_bodies", "marks", "languages", "jobs", "broadcast_keys", "head",
    ]

    let cluster: PostgresCluster
    let schema: String

    init(_ schema: String, in cluster: PostgresCluster, rowsOf source: String) throws {
        self.cluster = cluster
        self.schema = schema
        try run("CREATE SCHEMA \(schema); CREATE TABLE meta (key TEXT COLLATE \"C\" PRIMARY KEY, value TEXT NOT NULL)")
        try run(PostgresSchema.migrations[0].sql(1))
        let references = ["contracts"] + OldLedger.tables.filter { $0 != "contracts" }
        for table in references {
            // A generated column takes no value.
            let columns = try run(
                """
                SELECT string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position)
                FROM information_schema.columns
                WHERE table_schema = '\(schema)' AND table_name = '\(table)' AND is_generated = 'NEVER'
                """
            )
            try run("INSERT INTO \(table) (\(columns)) SELECT \(columns) FROM \(source).\(table)")
        }
        try run(
            """
            INSERT INTO meta SELECT key, value FROM \(source).meta WHERE key IN ('unclaimed', 'erasure_key');
            INSERT INTO meta VALUES ('schema', '1')
            """
        )
    }

    @discardableResult
    func run(_ sql: String) throws -> String {
        // psql prints what SET has done.
        let printed = try cluster.psql("SET search_path = \(schema); \(sql)")
        return printed.split(separator: "\n").filter { $0 != "SET" }.joined(separator: "\n")
    }

    /// One digest of all rows of a table, in the order of their texts.
    func digest(of table: String) throws -> String {
        try run("SELECT count(*) || md5(string_agg(t::text, '' ORDER BY t::text)) FROM \(table) AS t")
    }

    /// Commits an event as a node of the first version does.
    func commitAsBefore(_ event: String) throws {
        try run(
            """
            BEGIN;
            SELECT position FROM head FOR UPDATE;
            INSERT INTO entries (position, committed_at, kind, event)
                SELECT position + 1, 0, 'subscription.renewed', '\(event)' FROM head;
            INSERT INTO events (position, provider, environment, event, app, signed_at, received_at, body)
                SELECT position + 1, 'apple', 'Production', '\(event)', 'a', 0, 0, '' FROM head;
            UPDATE head SET position = position + 1;
            COMMIT
            """
        )
    }
}
