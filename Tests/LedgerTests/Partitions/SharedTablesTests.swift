import Domain
import Support
import TestSupport
import Testing

@testable import Ledger

/// How a node writes tables that it shares with others.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct SharedTablesTests {
    private func repository(_ url: String) throws -> LedgerRepository {
        try PostgresEngine(url: PostgresURL(url), node: "one")
            .openRepository(policy: AccessPolicy(sandboxUsers: .only([])), streams: .standard)
    }

    private func commit(_ html: String, to repository: inout LedgerRepository) throws {
        let stream = try #require(StreamPattern.standard.stream(for: "42"))
        try repository.begin()
        let fragment = Fragment(stream: stream, action: "update", target: "card", content: .html(html))
        _ = try repository.broadcast([fragment], now: Fixture.now)
        try repository.commit()
    }

    /// A newer version has changed the tables: a node that has not heard of it, because its heartbeat hangs, writes nothing.
    @Test func nothingIsWrittenIntoTablesThatOnlyANewerVersionKnows() throws {
        let cluster = try PostgresCluster()
        var repository = try repository(cluster.url)
        try commit("before", to: &repository)
        let newest = PostgresSchema.newest
        let declare = { (schema: Int64, oldest: Int64) throws in
            try cluster.psql(
                "UPDATE paycast.meta SET value = '\(schema) \(oldest)' WHERE key = 'schema_version'"
            )
        }
        _ = try declare(newest + 1, newest)
        try commit("beside additions", to: &repository)
        _ = try declare(newest + 2, newest + 2)
        let refusal = #expect(throws: EngineError.self) { try commit("after", to: &repository) }
        #expect(refusal?.advice.contains("newer version of paycast") == true, "\(refusal?.advice ?? "")")
        try repository.rollback()
        #expect(try cluster.psql("SELECT position FROM paycast.head") == "2")
    }

    /// The answer to a COMMIT is lost, and the tables are a newer version's by then: the batch is in all the same.
    @Test func aLostAnswerIsFoundInNewerTables() throws {
        let cluster = try PostgresCluster()
        let proxy = CuttingProxy(toPort: cluster.port)
        var repository = try repository("postgres://paycast@127.0.0.1:\(proxy.port)/postgres")
        try commit("before", to: &repository)
        let newer = PostgresSchema.newest + 1
        try cluster.psql(
            """
            CREATE FUNCTION paycast.upgrade() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                PERFORM pg_sleep(3);
                UPDATE paycast.meta SET value = '\(newer) \(newer)' WHERE key = 'schema_version';
                RETURN NULL;
            END $$;
            CREATE CONSTRAINT TRIGGER upgrade AFTER UPDATE ON paycast.head
                DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION paycast.upgrade()
            """
        )
        let cutter = WorkerThread(name: "cutter") {
            let commits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
            try? Deadline(.seconds(60)).wait { try cluster.psql(commits) == "1" }
            proxy.cut(after: 0, .toClient, once: true)
        }
        let connections = proxy.connections
        try commit("in", to: &repository)
        cutter.join()
        #expect(proxy.connections == connections + 1)
        #expect(throws: EngineError.self) { try commit("after", to: &repository) }
        try repository.rollback()
        #expect(try cluster.psql("SELECT position FROM paycast.head") == "2")
    }
}
