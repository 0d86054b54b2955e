import Domain
import LedgerInterface
import LedgerSQL
import Postgres
import PostgresLedger
import Rules
import TestSupport
import Testing

/// Failovers, restarts and proxies end sessions between two transactions. Nobody has to ask twice because of it.
@Suite(.timeLimit(.minutes(10)), .blocking, .enabled(if: PostgresCluster.isInstalled)) struct EndedSessionTests {
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
        #expect(try queries.head().position == 0)
        try endSessions()
        #expect(try queries.head().position == 0)
        try endSessions()
        let question: LedgerQueries.Question = { queries in QuestionAnswer(isFailure: (try? queries.head()) == nil) {} }
        #expect(!queries.answer([question, question]).contains { $0.isFailure })
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
