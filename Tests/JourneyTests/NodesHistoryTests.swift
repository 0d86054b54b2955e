import TestSupport
import Testing

/// Random runs on several nodes, judged by `HistoryChecker`. A failure names the seed.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct NodesHistoryTests {
    private let seed = UInt64.random(in: .min ... .max)

    /// Transactions of all nodes take random times, so that commits and positions would part if anything let them.
    @Test func everyPageSeesOneOrder() throws {
        let nodes = try PostgresNodes(3)
        try nodes.cluster.psql(
            """
            CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql
                AS 'BEGIN PERFORM pg_sleep(random() * 0.02); RETURN NEW; END';
            CREATE TRIGGER dawdle BEFORE INSERT ON paycast.entries FOR EACH ROW EXECUTE FUNCTION dawdle()
            """
        )
        let each = GeneratedCases.count(of: 20, oneOf: 2)
        let plan = NodesTraffic.Plan(writers: 6, each: each, pages: 6, cut: 5...30, hasPurchases: true)
        let traffic = try NodesTraffic(plan, on: nodes, seed: seed)
        let history = try traffic.run()
        #expect(history.violations.isEmpty, "seed \(seed)")
        #expect(traffic.answered == 6 * each + 1 && traffic.statuses.isSubset(of: [200, 202]), "seed \(seed)")
    }

    /// A node is killed again and again, whatever a batch is doing then.
    @Test func nodesAreKilled() throws {
        let nodes = try PostgresNodes(3)
        // More is written than the last round waits for.
        let rounds = GeneratedCases.count(of: 6, oneOf: 3)
        let plan = NodesTraffic.Plan(writers: 6, each: 10 * (rounds + 1), pages: 3, hasPurchases: true)
        let traffic = try NodesTraffic(plan, on: nodes, seed: seed)
        var generator = SeededGenerator(seed: seed)
        let history = try traffic.run {
            for round in 1...rounds {
                let count = round * 50 + Int.random(in: 0...40, using: &generator)
                try Deadline(.seconds(60)).wait(for: "answers") { traffic.answered >= count }
                try nodes[Int.random(in: 0..<3, using: &generator)].restart(with: .kill)
            }
        }
        #expect(history.violations.isEmpty, "seed \(seed)")
        #expect(traffic.answered == 6 * 10 * (rounds + 1) + 1, "seed \(seed)")
        #expect(history.answers.contains { $0.status == nil }, "no request was cut, seed \(seed)")
    }

    /// Every process of it at once, as when its machine's kernel lives on.
    @Test func theServerIsKilled() throws {
        let nodes = try PostgresNodes(2)
        // More is written than the last round waits for.
        let rounds = GeneratedCases.count(of: 2, oneOf: 2)
        let plan = NodesTraffic.Plan(writers: 6, each: rounds * 20, pages: 3, hasPurchases: true)
        let traffic = try NodesTraffic(plan, on: nodes, seed: seed)
        var generator = SeededGenerator(seed: seed)
        let history = try traffic.run {
            for round in 1...rounds {
                let count = round * 60 + Int.random(in: 0...40, using: &generator)
                try Deadline(.seconds(60)).wait(for: "answers") { traffic.answered >= count }
                try nodes.cluster.kill()
                try nodes.cluster.start()
            }
        }
        #expect(history.violations.isEmpty, "seed \(seed)")
        #expect(traffic.answered == 6 * rounds * 20 + 1, "seed \(seed)")
        #expect(traffic.statuses.isSubset(of: [200, 202, 503]), "seed \(seed)")
        #expect(Set(nodes.epochs(of: 0) + nodes.epochs(of: 1)).count == 1, "seed \(seed)")
    }

    /// What SeveralNodes says of `synchronous_commit = off`, and that the judge would have seen a loss above.
    @Test func withoutWaitingForTheDiskAKilledServerForgets() throws {
        // PostgreSQL writes what waits every ten seconds, which may be just before the end.
        let violations = try (0..<3).lazy.map { _ in try violationsWithoutWaiting() }.first { !$0.isEmpty } ?? []
        #expect(violations.contains(.missing(event: "e19.")), "\(violations)")
    }

    private func violationsWithoutWaiting() throws -> [HistoryChecker.Violation] {
        let cluster = try PostgresCluster(["synchronous_commit=off", "wal_writer_delay=10s"])
        let nodes = try PostgresNodes(1, cluster: cluster)
        let answers = try (0..<20).map { number in
            let cursor = try nodes.broadcast("e\(number).", through: 0)
            return HistoryChecker.Answer(event: "e\(number).", status: 202, cursor: cursor)
        }
        try cluster.kill()
        try nodes[0].stop()
        try cluster.start()
        return try HistoryChecker(log: nodes.log(), answers: answers).violations
    }
}
