import TestSupport
import Testing

/// A newer version has brought the tables of nodes that run up to date.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct NewerTablesTests {
    /// What the next version might add: a table, and a column in each of today's.
    private static let addition = """
        LOCK TABLE paycast.head IN ACCESS EXCLUSIVE MODE;
        DO $$
        DECLARE
            grown TEXT;
        BEGIN
            FOR grown IN
                SELECT oid::regclass FROM pg_class
                WHERE relnamespace = 'paycast'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
            LOOP
                EXECUTE format('ALTER TABLE %s ADD COLUMN future TEXT DEFAULT ''later''', grown);
            END LOOP;
        END
        $$;
        CREATE TABLE paycast.futures (id BIGINT PRIMARY KEY);
        """

    private let seed = UInt64.random(in: .min ... .max)

    /// The tables are of version `schema`, and who knows those of `oldest` may work on them.
    private func declare(schema: Int, oldest: Int, in cluster: PostgresCluster) throws {
        try cluster.psql("UPDATE paycast.meta SET value = '\(schema) \(oldest)' WHERE key = 'schema_version'")
    }

    /// Returns once each of so many nodes has looked at the tables since.
    private func waitForHeartbeats(of count: Int, in cluster: PostgresCluster) throws {
        // The first one after the change may have begun before it.
        let second = try cluster.psql("SELECT clock_timestamp() + interval '4 seconds'")
        try Deadline(.seconds(60)).wait(for: "heartbeats") {
            try cluster.psql("SELECT count(*) FROM paycast.nodes WHERE seen_at > '\(second)'") == "\(count)"
        }
    }

    /// Old nodes go on, are stopped and start again, and go when the next version takes away what they need.
    @Test func oldNodesGoOnUntilTheTablesNeedMore() throws {
        let nodes = try PostgresNodes(2)
        let own = "SELECT split_part(value, ' ', 1) FROM paycast.meta WHERE key = 'schema_version'"
        let known = try #require(Int(try nodes.cluster.psql(own)))
        let traffic = try NodesTraffic(.init(hasPurchases: true), on: nodes, seed: seed)
        let history = try traffic.run {
            try nodes.cluster.psql(NewerTablesTests.addition)
            try declare(schema: known + 1, oldest: known, in: nodes.cluster)
            try waitForHeartbeats(of: 2, in: nodes.cluster)
            for node in [0, 1] { try nodes.wait(for: "beside additions \(node).", through: node) }
            try nodes[0].stop(with: .terminate)
            try nodes[0].start()
            try nodes.wait(for: "started on additions.", through: 0)
        }
        #expect(history.violations.isEmpty, "seed \(seed)")
        let version = try nodes.cluster.psql("SELECT value FROM paycast.meta WHERE key = 'schema_version'")
        #expect(version == "\(known + 1) \(known)")
        let migrated = nodes[0].paycast(["migrate", "--database", nodes.cluster.url])
        #expect(try migrated.waitForExit() == 0, "\(migrated.errors)")

        try declare(schema: known + 2, oldest: known + 1, in: nodes.cluster)
        for node in nodes.nodes {
            _ = try node.process.errorLine { $0.contains("ledger has a newer schema") }
            #expect(try node.process.waitForExit() == 0)
        }
        #expect(throws: (any Error).self) { try nodes[0].start() }
        #expect(try nodes.doctor().contains("the ledger has schema \(known + 2), this version knows \(known)"))
        let refused = nodes[0].paycast(["migrate", "--database", nodes.cluster.url])
        #expect(try refused.waitForExit() == 1)
        #expect(refused.errors.contains("run the newer version of paycast"), "\(refused.errors)")
    }

    /// Who left no version that can be read has made no promise, and a ledger from before the first release has none.
    @Test func withoutAVersionANodeDrains() throws {
        let nodes = try PostgresNodes(1)
        try nodes.cluster.psql("UPDATE paycast.meta SET key = 'schema', value = '3' WHERE key = 'schema_version'")
        _ = try nodes[0].process.errorLine { $0.contains("ledger has a newer schema") }
        #expect(try nodes[0].process.waitForExit() == 0)
        #expect(throws: (any Error).self) { try nodes[0].start() }
        let words = "it was made before the first release"
        let refused = nodes[0].paycast(["migrate", "--database", nodes.cluster.url])
        #expect(try refused.waitForExit() == 1)
        #expect(refused.errors.contains(words), "\(refused.errors)")
        #expect(try nodes.doctor().contains(words))
    }
}
