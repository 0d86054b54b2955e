import Ledger
import Rails
import TestSupport
import Testing

/// Against a real PostgreSQL.
@Suite(.enabled(if: PostgresCluster.isInstalled), .blocking) struct PostgresCableTests {
    private let cluster: PostgresCluster
    private let inbox = BroadcastInbox()

    init() throws {
        cluster = try PostgresCluster()
        try cluster.psql(CableSQL.postgres)
    }

    private func app() throws -> PostgresConnection {
        PostgresConnection(try PostgresURL(cluster.url))
    }

    private func broadcast(_ texts: String...) -> String {
        texts.map { CableSQL.postgresRow("s", CableSQL.update($0)) }.joined()
    }

    @Test func orderOfAThousandIsKept() throws {
        try cluster.psql(broadcast("before the start"))
        let listener = try inbox.listener(cluster.url)
        #expect(inbox.isReady(listener))
        let texts = (0..<1000).map { "\($0)" }
        try app().execute(texts.map { broadcast($0) }.joined())
        #expect(inbox.hears(texts))
        listener.close()
        #expect((inbox.now.starts, inbox.now.heals) == (1, 0))
        #expect(inbox.metric("paycast_rails_cable_late_total") == 0)
    }

    @Test func whatIsNotForPagesIsCountedAndNeverLogged() throws {
        let listener = try inbox.listener(cluster.url)
        #expect(inbox.isReady(listener))
        let columns = "INSERT INTO solid_cable_messages (channel, payload, created_at, channel_hash) VALUES"
        for payload in [#"'{"s3cret":1}'"#, "''", #"'\x22ff22'"#, #"'\x00'"#] {
            try cluster.psql("\(columns) ('s', \(payload), now(), 1)")
        }
        try cluster.psql("\(columns) ('s', convert_to(repeat('s3cret', 2000000), 'UTF8'), now(), 1)")
        try cluster.psql(#"\#(columns) ('s\000', '"s3cret"', 'infinity', 1), ('\xff', '"s3cret"', now(), 1)"#)
        try cluster.psql(broadcast("last"))
        #expect(inbox.hears(["s none", "last"]), "what is too long reloads the pages of its stream")
        listener.close()
        for (reason, count) in ["json": 4, "size": 1, "channel": 2] {
            #expect(inbox.metric("paycast_rails_cable_ignored_total{reason=\"\(reason)\"}") == count, "\(reason)")
        }
        #expect(!inbox.now.lines.joined().contains("s3cret"))
    }

    /// It takes its id first and is visible last.
    @Test func broadcastOfATransactionThatIsHeldOpenIsNotSkipped() throws {
        let (slow, fast) = (try app(), try app())
        let listener = try inbox.listener(cluster.url)
        #expect(inbox.isReady(listener))
        try slow.execute("BEGIN;" + broadcast("slow"))
        try fast.execute(broadcast("1", "2"))
        #expect(inbox.hears(["1", "2"]))
        try slow.execute("COMMIT")
        #expect(inbox.hears(["1", "2", "slow"]))
        try fast.execute(broadcast("3"))
        #expect(inbox.hears(["1", "2", "slow", "3"]))
        listener.close()
        #expect(inbox.metric("paycast_rails_cable_late_total") == 1)
        #expect(inbox.now.heals == 0)
    }

    @Test func transactionFromBeforeTheStartIsNotSkipped() throws {
        let (slow, rolledBack) = (try app(), try app())
        try cluster.psql(broadcast("first"))
        try slow.execute("BEGIN;" + broadcast("slow"))
        try rolledBack.execute("BEGIN;" + broadcast("never") + "ROLLBACK")
        try cluster.psql(broadcast("newer"))
        let listener = try inbox.listener(cluster.url)
        #expect(inbox.isReady(listener))
        try slow.execute("COMMIT")
        #expect(inbox.hears(["slow"]))
        listener.close()
    }

    @Test func outageLosesNothing() throws {
        let listener = try inbox.listener(cluster.url)
        #expect(inbox.isReady(listener))
        try cluster.psql(broadcast("1"))
        #expect(inbox.hears(["1"]))
        try cluster.kill()
        #expect(inbox.wait { _ in !listener.problems.isEmpty })
        try cluster.start()
        try cluster.psql(broadcast("2"))
        #expect(inbox.hears(["1", "2"]))
        listener.close()
        #expect(inbox.now.heals == 0)
        #expect(inbox.metric("paycast_rails_cable_outages_total") == 1)
    }

    @Test func tableThatBeginsAnewIsAGap() throws {
        try cluster.psql(broadcast("1", "2"))
        let listener = try inbox.listener(cluster.url)
        #expect(inbox.isReady(listener))
        try app().execute("BEGIN; TRUNCATE solid_cable_messages RESTART IDENTITY;" + broadcast("3") + "COMMIT")
        // A snapshot from before TRUNCATE finds the table empty (https://www.postgresql.org/docs/15/mvcc-caveats.html); it is
        // then read from its beginning, and nothing is lost.
        #expect(inbox.wait { $0.heals == 1 || !$0.texts.isEmpty })
        try cluster.psql(broadcast("4"))
        #expect(inbox.hears(["4"]) || inbox.hears(["3", "4"]))
        listener.close()
    }

    /// Version 3 changes the columns' types.
    @Test func migratedTableIsReadOn() throws {
        try cluster.psql("DROP TABLE solid_cable_messages")
        let listener = try inbox.listener(cluster.url, adapter: .solidCable)
        #expect(inbox.wait { _ in listener.problems.contains { $0.contains("no table solid_cable_messages") } })
        try cluster.psql(
            """
            CREATE TABLE solid_cable_messages
            (id bigserial PRIMARY KEY, channel text, payload text, created_at timestamp NOT NULL, updated_at timestamp)
            """
        )
        #expect(inbox.isReady(listener))
        let payload = CableSQL.update("text")
        let columns = "(channel, payload, created_at)"
        try cluster.psql("INSERT INTO solid_cable_messages \(columns) VALUES ('s', '\(payload)', now())")
        #expect(inbox.hears(["text"]))
        try cluster.psql(
            """
            ALTER TABLE solid_cable_messages ADD channel_hash bigint,
            ALTER channel TYPE bytea USING convert_to(channel, 'UTF8'),
            ALTER payload TYPE bytea USING convert_to(payload, 'UTF8')
            """
        )
        try cluster.psql(broadcast("bytes"))
        #expect(inbox.hears(["text", "bytes"]))
        listener.close()
        #expect(inbox.now.heals == 0)
    }

    @Test func rightToReadIsEnoughAndItsAbsenceIsTold() throws {
        try cluster.psql("CREATE ROLE reader LOGIN")
        let listener = try inbox.listener("postgres://reader@\(cluster.place)/postgres")
        #expect(inbox.wait { _ in listener.problems.contains { $0.contains("GRANT") } }, "\(listener.problems)")
        try cluster.psql("GRANT SELECT ON solid_cable_messages TO reader")
        #expect(inbox.isReady(listener))
        try cluster.psql(broadcast("1"))
        #expect(inbox.hears(["1"]))
        listener.close()
    }

    @Test(.enabled(if: PostgresCluster.isPoolerInstalled)) func poolerIsReadThrough() throws {
        let reserved = ReservedPort()
        let pooler = try cluster.pooler(port: reserved.number)
        let listener = try inbox.listener("postgres://paycast@127.0.0.1:\(reserved.number)/postgres")
        #expect(inbox.isReady(listener))
        try cluster.psql(broadcast("1"))
        #expect(inbox.hears(["1"]))
        listener.close()
        pooler.send(.terminate)
    }

    @Test func databaseThatDoesNotAnswerDelaysTheEndBySecondsOnly() throws {
        let silent = SocketServer { _ = try $0.readToEnd() }
        let listener = try inbox.listener("postgres://paycast:s3cret@127.0.0.1:\(silent.port)/postgres")
        #expect(inbox.wait { _ in listener.problems.contains { $0.contains("did not answer") } })
        let deadline = Deadline(.seconds(30))
        listener.close()
        #expect(!deadline.hasPassed)
        #expect(!(inbox.now.lines + listener.problems).joined().contains("s3cret"))
    }
}
