import Domain
import Ledger
import TestSupport
import Testing

/// Failovers, restarts and proxies end sessions between two transactions. Nobody has to ask twice because of it.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct EndedSessionTests {
    private let cluster: PostgresCluster
    private let engine: PostgresEngine
    private let policy = AccessPolicy(sandboxUsers: .only([]))

    init() throws {
        cluster = try PostgresCluster()
        engine = try PostgresEngine(url: PostgresURL(cluster.url), node: "one")
    }

    private func endSessions() throws {
        try cluster.psql(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'paycast'"
        )
    }

    @Test func writerCommitsInANewOne() throws {
        var store = try engine.openRepository(policy: policy, streams: .standard)
        try store.begin()
        try store.commit()
        try endSessions()
        try store.begin()
        let stream = try #require(StreamPattern.standard.stream(for: "42"))
        let fragment = Fragment(stream: stream, action: "update", target: "card", content: .html("x"))
        _ = try store.broadcast([fragment], now: Fixture.now)
        try store.commit()
        #expect(try cluster.psql("SELECT position FROM paycast.head") == "1")
    }

    @Test func readerAnswersFromANewOne() throws {
        var queries = try engine.openQueries(policy: policy, streams: .standard)
        #expect(try queries.snapshot { try $0.head().position } == 0)
        try endSessions()
        #expect(try queries.snapshot { try $0.head().position } == 0)
    }

    /// What a transaction asks ahead is asked again.
    @Test func writerAsksAheadInANewOne() throws {
        var store = try engine.openRepository(policy: policy, streams: .standard)
        try store.begin()
        try store.commit()
        try endSessions()
        let event = Fixture.subscription("e1", state: .active, key: Fixture.key("e1"))
        let incoming = IncomingEvent(event, receivedAt: Fixture.now)
        var preload = Preload()
        preload.add(incoming)
        try store.begin(reading: preload, keys: [], now: Fixture.now)
        _ = try store.record(incoming, now: Fixture.now)
        try store.commit()
        #expect(try cluster.psql("SELECT event FROM paycast.events") == "e1")
    }

    /// What was written is lost with its session, so nothing of it may be committed in the next one.
    @Test func transactionThatHasWrittenFails() throws {
        var store = try engine.openRepository(policy: policy, streams: .standard)
        try store.begin()
        try endSessions()
        let stream = try #require(StreamPattern.standard.stream(for: "42"))
        let fragment = Fragment(stream: stream, action: "update", target: "card", content: .html("x"))
        #expect(throws: EngineError.self) {
            _ = try store.broadcast([fragment], now: Fixture.now)
            try store.commit()
        }
        try? store.rollback()
        #expect(try cluster.psql("SELECT position FROM paycast.head") == "0")
    }
}
