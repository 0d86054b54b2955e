import Domain
import Support
import TestSupport
import Testing

@testable import Ledger

/// The connection to PostgreSQL breaks somewhere in a batch: before COMMIT, within it, or before its answer.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct LostCommitTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var direction: CuttingProxy.Direction
        var cuts: StrideTo<Int>
        var testDescription: String { "\(direction)" }
    }

    /// What was answered is in, everything is in once, and positions have no holes.
    @Test(arguments: [
        Case(direction: .toServer, cuts: stride(from: 0, to: 2200, by: 61)),
        Case(direction: .toClient, cuts: stride(from: 0, to: 900, by: 29)),
    ]) func whatIsAnsweredIsInOnce(_ given: Case) throws {
        let cluster = try PostgresCluster()
        let proxy = CuttingProxy(toPort: cluster.port)
        let url = try PostgresURL("postgres://paycast@127.0.0.1:\(proxy.port)/postgres")
        let writer = try LedgerWriter(
            engine: PostgresEngine(url: url, node: "one"),
            clock: Clock(),
            policy: AccessPolicy(sandboxUsers: .only([])),
            streams: .standard,
            providers: [],
            log: .silent,
            metrics: Metrics(),
            onCommit: { _ in }
        )
        defer { writer.close() }
        // Statements are prepared.
        _ = try send("warm", to: writer)
        var answered = 1
        var refused = 0
        for (number, count) in given.cuts.enumerated() {
            proxy.cut(after: count, given.direction, once: true)
            if (try? send("e\(number)", to: writer)) != nil { answered += 1 } else { refused += 1 }
            proxy.restore()
            let found = try cluster.psql("SELECT count(*) FROM paycast.events")
            #expect(Int(found) ?? 0 >= answered)
            try Deadline(.seconds(60)).wait(for: "a commit") { (try? send("e\(number)", to: writer)) != nil }
            answered = Int(try cluster.psql("SELECT count(*) FROM paycast.events")) ?? 0
        }
        let count = Array(given.cuts).count + 1
        #expect(proxy.connections > count / 2, "too few cuts met a batch")
        // What is cut on the way back can be asked again, or was committed.
        #expect(refused > 0 || given.direction == .toClient)
        #expect(try cluster.psql("SELECT count(*), count(DISTINCT event) FROM paycast.events") == "\(count)|\(count)")
        #expect(try cluster.psql("SELECT max(position) - count(*) FROM paycast.entries") == "0")
        #expect(
            try cluster.psql("SELECT position FROM paycast.head")
                == cluster.psql("SELECT max(position) FROM paycast.entries")
        )
    }

    private func send(_ id: String, to writer: LedgerWriter) throws -> CommitResult {
        let answer = Promise<Result<CommitResult, LedgerError>>()
        let event = Fixture.subscription(id, state: .active, key: Fixture.key(id))
        guard writer.submit(.event(event, receivedAt: event.signedAt, completion: { answer.fulfil($0) })) else {
            throw LedgerError.busy
        }
        return try answer.wait().get()
    }
}
