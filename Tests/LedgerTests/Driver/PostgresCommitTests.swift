import Support
import TestSupport
import Testing

@testable import Ledger

/// What stands between a COMMIT and its promise.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled, "PostgreSQL 15 is not installed"))
struct PostgresCommitTests {
    /// PostgreSQL answers COMMIT as if all were well.
    @Test func cancelledWaitForAStandbyIsNoCommit() throws {
        let cluster = try PostgresCluster(["synchronous_standby_names=nobody"])
        var options = PostgresOptions()
        options.settings = [("synchronous_commit", "local")]
        let connection = PostgresConnection(try PostgresURL(cluster.url), options: options)
        try connection.execute("CREATE TABLE one (id BIGINT)")
        try connection.begin()
        try connection.execute("SET LOCAL synchronous_commit = on")
        try connection.prepare("INSERT INTO one VALUES (1)").run()
        let canceller = WorkerThread(name: "canceller") {
            let waiting = "FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
            try? Deadline(.seconds(60)).wait(for: "the wait") {
                try cluster.psql("SELECT pg_cancel_backend(pid) \(waiting)").contains("t")
            }
        }
        let error = #expect(throws: EngineError.self) { try connection.commit() }
        canceller.join()
        #expect(error?.kind == .notReplicated)
        #expect(!connection.isInTransaction)
    }

    @Test(.enabled(if: PostgresCluster.isPoolerInstalled, "pgbouncer is not installed"))
    func worksThroughATransactionPooler() throws {
        let cluster = try PostgresCluster.shared()
        let reserved = ReservedPort()
        let pooler = try cluster.pooler(port: reserved.number)
        defer { pooler.send(.kill) }
        var options = PostgresOptions()
        options.lock = .milliseconds(77)
        let url = try PostgresURL("postgres://paycast@127.0.0.1:\(reserved.number)/postgres")
        let connection = PostgresConnection(url, options: options)
        try connection.execute("CREATE TABLE pooled (id BIGINT)")
        #expect(connection.isPooled)
        let insert = connection.prepare("INSERT INTO pooled VALUES (?)")
        for number in 0..<3 as Range<Int64> {
            try connection.begin()
            try insert.run([.integer(number)])
            #expect(try connection.prepare("SHOW lock_timeout").first { $0.text(0) } == "77ms")
            try connection.commit()
        }
        #expect(try connection.prepare("SELECT count(*) FROM pooled").first { $0.integer(0) } == 3)
        #expect(connection.session == 1)
    }
}
