import Domain
import Ledger
import TestSupport
import Testing

/// What a node recognises of a ledger that is no longer the one that it knew.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct ReusedPositionTests {
    private let cluster: PostgresCluster
    private let engine: PostgresEngine

    init() throws {
        cluster = try PostgresCluster()
        engine = try PostgresEngine(url: PostgresURL(cluster.url), node: "one")
    }

    private func commit(to store: inout LedgerRepository) throws {
        let stream = try #require(StreamPattern.standard.stream(for: "42"))
        try store.begin()
        let fragment = Fragment(stream: stream, action: "update", target: "card", content: .html("x"))
        _ = try store.broadcast([fragment], now: Fixture.now)
        try store.commit()
    }

    /// A failover takes back what the node has committed and not published yet, and another node writes at its position.
    @Test func whatWasNotPublishedYetIsRecognised() throws {
        var store = try engine.openRepository(policy: AccessPolicy(sandboxUsers: .only([])), streams: .standard)
        try commit(to: &store)
        try cluster.psql("UPDATE paycast.entries SET committed_at = committed_at + 1 WHERE position = 1")
        try cluster.psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'paycast'")
        let refusal = #expect(throws: EngineError.self) { try commit(to: &store) }
        #expect(refusal?.message.contains("knows less than this server has seen") == true, "\(refusal?.message ?? "")")
    }

    /// Rows of the log are gone: that is said, and nothing behind them is shown as if it came next.
    @Test(arguments: [2...2, 2...600, 600...699]) func missingEntriesAreReported(_ missing: ClosedRange<Int64>) throws {
        var store = try engine.openRepository(policy: AccessPolicy(sandboxUsers: .only([])), streams: .standard)
        let stream = try #require(StreamPattern.standard.stream(for: "42"))
        // A server ends a transaction that waits for its client, as one of 700 broadcasts would under a sanitizer.
        for _ in 0..<14 {
            try store.begin()
            for _ in 0..<50 {
                let fragment = Fragment(stream: stream, action: "update", target: "card", content: .html("x"))
                _ = try store.broadcast([fragment], now: Fixture.now)
            }
            try store.commit()
        }
        for table in ["fragments", "entries"] {
            try cluster.psql(
                "DELETE FROM paycast.\(table) WHERE position BETWEEN \(missing.lowerBound) AND \(missing.upperBound)"
            )
        }
        var queries = try engine.openQueries(policy: AccessPolicy(sandboxUsers: .only([])), streams: .standard)
        let start = missing.lowerBound - 1
        let whole = try queries.snapshot { try $0.log(after: start - min(start, 500), limit: Int(min(start, 500))) }
        #expect(whole.entries.last?.position == start)
        let error = #expect(throws: LedgerError.self) {
            try queries.snapshot { try $0.log(after: start, limit: 500) }
        }
        #expect("\(error as Any)".contains("no entry is at position \(missing.lowerBound)"), "\(error as Any)")
    }
}
