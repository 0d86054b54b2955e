import Domain
import Glibc
import Ledger
import Rails
import TestSupport
import Testing

/// The adapter `postgresql`, against a real PostgreSQL.
@Suite(.enabled(if: PostgresCluster.isInstalled), .blocking) struct PostgresNotificationTests {
    private let cluster: PostgresCluster
    private let inbox = BroadcastInbox()
    private let follows = FollowedStreams()

    init() throws {
        cluster = try PostgresCluster()
    }

    /// Hears broadcasts to stream `s`.
    private func listener(
        _ url: String? = nil,
        adapter: RailsCableAdapter? = nil,
        limit: Int = 100,
        timing: BroadcastTiming = .quick()
    ) throws -> BroadcastListener {
        var settings = RailsCableSettings(url: try RailsCableURL(url ?? cluster.url), adapter: adapter)
        settings.streamLimit = limit
        follow("s")
        let listener = try #require(
            BroadcastListener(
                railsCable: settings,
                timing: timing,
                log: inbox.log,
                metrics: inbox.metrics,
                follows: follows,
                submit: inbox.submit
            )
        )
        listener.start(heal: inbox.heal)
        return listener
    }

    private func follow(_ names: String...) {
        for name in names.compactMap({ StreamName($0) }) { follows.follow(name) }
    }

    private func notify(_ texts: String..., on channel: String = "s") throws {
        try cluster.psql(texts.map { "NOTIFY \"\(channel)\", '\(CableSQL.update($0))';" }.joined(separator: "\n"))
    }

    private func listens(to count: Int) -> Bool {
        inbox.wait { _ in inbox.metric("paycast_rails_cable_streams") == count }
    }

    private func endSession() throws {
        try cluster.psql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'paycast cable'"
        )
    }

    @Test func orderOfAThousandIsKept() throws {
        let listener = try listener()
        #expect(inbox.isReady(listener))
        let texts = (0..<1000).map { "\($0)" }
        let app = PostgresConnection(try PostgresURL(cluster.url))
        try app.execute(texts.map { "NOTIFY s, '\(CableSQL.update($0))';" }.joined())
        #expect(inbox.hears(texts))
        listener.close()
        #expect((inbox.now.starts, inbox.now.heals) == (1, 0))
        #expect(inbox.metric("paycast_rails_cable_messages_total") == 1000)
    }

    @Test func streamIsHeardFromWhenAPageFollowsIt() throws {
        let listener = try listener()
        #expect(inbox.isReady(listener))
        try notify("nobody hears this", on: "other")
        follow(#"other"#, #"odd "name"; SELECT 1"#)
        follows.followElsewhere([StreamName("elsewhere")].compactMap { $0 })
        #expect(listens(to: 4))
        try notify("1", on: "other")
        try notify("2", on: #"odd ""name""; SELECT 1"#)
        try notify("3", on: "elsewhere")
        #expect(inbox.hears(["1", "2", "3"]))
        listener.close()
    }

    @Test func whatIsNotForPagesIsCountedAndNeverLogged() throws {
        let listener = try listener()
        #expect(inbox.isReady(listener))
        for payload in [#"{"s3cret":1}"#, "s3cret", "", #""s3cret""#] { try cluster.psql("NOTIFY s, '\(payload)'") }
        try notify("last")
        #expect(inbox.hears(["last"]))
        listener.close()
        for (reason, count) in ["json": 3, "markup": 1] {
            #expect(inbox.metric("paycast_rails_cable_ignored_total{reason=\"\(reason)\"}") == count, "\(reason)")
        }
        #expect(!inbox.now.lines.joined().contains("s3cret"))
    }

    @Test func sessionThatWasEndedIsAGapThatIsHealedOnce() throws {
        let listener = try listener()
        #expect(inbox.isReady(listener))
        follow("other")
        #expect(listens(to: 2))
        try endSession()
        #expect(inbox.wait { $0.heals == 1 })
        try notify("1")
        try notify("2", on: "other")
        #expect(inbox.hears(["1", "2"]))
        listener.close()
        #expect(inbox.now.heals == 1)
        #expect(inbox.metric("paycast_rails_cable_outages_total") == 1)
        #expect(inbox.metric("paycast_rails_cable_gaps_total") == 1)
    }

    @Test func serverThatIsAwayIsToldAndWaitedFor() throws {
        let listener = try listener()
        #expect(inbox.isReady(listener))
        try cluster.kill()
        #expect(inbox.wait { _ in !listener.problems.isEmpty })
        #expect(inbox.metric("paycast_rails_cable_connected") == 0)
        try cluster.start()
        #expect(inbox.isReady(listener))
        try notify("1")
        #expect(inbox.hears(["1"]))
        listener.close()
        #expect(inbox.now.heals == 1)
    }

    /// The session stays open and nothing is refused: only the heartbeat tells.
    @Test func frozenServerIsNoticed() throws {
        let listener = try listener(timing: .quick(patience: .milliseconds(500)))
        #expect(inbox.isReady(listener))
        let pid = try cluster.psql("SELECT pid FROM pg_stat_activity WHERE application_name = 'paycast cable'")
        let backend = try #require(Int32(pid.split(separator: "\n").first ?? ""))
        kill(backend, SIGSTOP)
        defer { kill(backend, SIGCONT) }
        #expect(inbox.wait { $0.heals >= 1 }, "a slow machine may lose it twice")
        listener.close()
    }

    @Test(.enabled(if: PostgresCluster.isPoolerInstalled)) func transactionPoolerIsTold() throws {
        let reserved = ReservedPort()
        let pooler = try cluster.pooler(port: reserved.number)
        let listener = try listener("postgres://paycast@127.0.0.1:\(reserved.number)/postgres")
        #expect(inbox.wait { _ in listener.problems.contains { $0.contains("transaction pooler") } })
        listener.close()
        pooler.send(.terminate)
    }

    @Test func tableThatAppearsIsReadInstead() throws {
        follows.connect(pages: { [StreamName("s")].compactMap { $0 } }, share: { _ in })
        let listener = try listener()
        #expect(inbox.isReady(listener))
        #expect(inbox.wait { _ in listener.warnings.contains { $0.contains("no table solid_cable_messages") } })
        try notify("1")
        #expect(inbox.hears(["1"]))
        #expect(inbox.wait { _ in listener.warnings.isEmpty })
        try cluster.psql(CableSQL.postgres)
        #expect(inbox.wait { $0.heals == 1 })
        #expect(inbox.isReady(listener))
        try cluster.psql(CableSQL.postgresRow("s", CableSQL.update("2")))
        #expect(inbox.hears(["1", "2"]))
        try cluster.psql("DROP TABLE solid_cable_messages")
        #expect(inbox.wait { $0.heals == 2 })
        try notify("3")
        #expect(inbox.hears(["1", "2", "3"]))
        listener.close()
    }

    @Test func settingDecidesInPlaceOfTheTable() throws {
        try cluster.psql(CableSQL.postgres)
        let listener = try listener(adapter: .postgresql)
        #expect(inbox.isReady(listener))
        #expect(listener.warnings.isEmpty)
        try notify("1")
        #expect(inbox.hears(["1"]))
        listener.close()
    }

    @Test func tableThatTheSettingRequiresIsMissed() throws {
        let listener = try listener(adapter: .solidCable)
        #expect(inbox.wait { _ in listener.problems.contains { $0.contains("no table solid_cable_messages") } })
        listener.close()
    }

    @Test func moreStreamsThanCanBeListenedToAreAProblem() throws {
        let listener = try listener(limit: 2)
        #expect(inbox.isReady(listener))
        follow("a", "b", "c")
        #expect(inbox.wait { _ in listener.problems.contains { $0.contains("more streams") } })
        #expect(inbox.metric("paycast_rails_cable_streams") == 2)
        listener.close()
    }

    /// Nobody hears what is broadcast to them, so their pages reload if they return; and all do, if one found no room.
    @Test func streamsWithoutPagesMakeRoomAndTheirPagesReload() throws {
        let listener = try listener(limit: 2, timing: .quick(repetition: .milliseconds(20)))
        #expect(inbox.isReady(listener))
        follow("a")
        #expect(listens(to: 2))
        #expect(
            inbox.wait { content in
                follow("b")
                return content.texts.contains("s none") || content.texts.contains("a none")
            }
        )
        #expect(inbox.metric("paycast_rails_cable_streams_given_up_total") ?? 0 >= 1)
        try notify("1", on: "b")
        #expect(inbox.wait { $0.texts.contains { $0.hasPrefix("b markup") } })
        #expect(inbox.isReady(listener))
        listener.close()
    }

    @Test func standbyIsRefused() throws {
        let standby = try PostgresCluster(["default_transaction_read_only=on"])
        let listener = try listener(standby.url, adapter: .postgresql)
        #expect(inbox.wait { _ in listener.problems.contains { $0.contains("read-only") } }, "\(listener.problems)")
        listener.close()
    }
}
