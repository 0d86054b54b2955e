internal import Ledger

/// The lease of the work that one node does for all, a row with an end by the database's clock. Another node takes over what
/// a node that died had, with its first heartbeat after that end.
struct PostgresLeaderLease {
    static let seconds = 10

    private let node: String
    private let takeOrKeep: Statement
    private let end: Statement

    init(_ connection: PostgresLedgerConnection, node: String) throws(EngineError) {
        self.node = node
        // Whoever holds it keeps it; another node takes it once it has ended.
        takeOrKeep = try connection.prepare(
            """
            INSERT INTO leases (name, node, ends_at, number)
            VALUES ('work', ?, clock_timestamp() + interval '\(PostgresLeaderLease.seconds) seconds', 1)
            ON CONFLICT (name) DO UPDATE SET node = excluded.node, ends_at = excluded.ends_at,
                number = leases.number + CASE WHEN leases.node = excluded.node THEN 0 ELSE 1 END
                WHERE leases.node = excluded.node OR leases.ends_at < clock_timestamp()
            RETURNING number
            """
        )
        // The row stays, so that numbers go on.
        end = try connection.prepare(
            "UPDATE leases SET ends_at = clock_timestamp() - interval '1 second' WHERE name = 'work' AND node = ?"
        )
    }

    /// Nil while another node has it.
    func take() throws(EngineError) -> Lease? {
        try takeOrKeep.first([.text(node)]) { row in Lease(number: row.integer(0)) }
    }

    /// Another node need not wait for the end.
    func release() {
        try? end.run([.text(node)])
    }
}
