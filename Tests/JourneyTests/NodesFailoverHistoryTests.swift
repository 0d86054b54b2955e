import TestSupport
import Testing

/// Random runs over a failover, judged by `HistoryChecker`. A failure names the seed.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled))
struct NodesFailoverHistoryTests {
    private let seed = UInt64.random(in: .min ... .max)

    /// Each commit has waited for its standby: to clients it is as if nothing had happened.
    @Test func aSynchronousFailoverChangesNothing() throws {
        let pair = try PostgresPair(isSynchronous: true)
        let nodes = try PostgresNodes(cluster: pair.primary, url: pair.url)
        let each = GeneratedCases.count(of: 40, oneOf: 2)
        let traffic = try NodesTraffic(
            NodesTraffic.Plan(writers: 6, each: each, pages: 3, hasPurchases: true),
            on: nodes,
            seed: seed
        )
        var generator = SeededGenerator(seed: seed)
        let count = Int.random(in: each...4 * each, using: &generator)
        let history = try traffic.run(heir: pair.standby) {
            try Deadline(.seconds(60)).wait(for: "answers") { traffic.answered >= count }
            try pair.failOver()
        }
        #expect(history.violations.isEmpty, "seed \(seed)")
        #expect(traffic.answered == 6 * each + 1, "seed \(seed)")
        #expect(nodes.epochs(of: 0).count == 1 && nodes.epochs(of: 1).count == 1, "seed \(seed)")
    }

    /// The standby lacks what was answered last. No cursor means one thing before and another after, and every page ends
    /// up with the newest state of what is left, never going back.
    @Test func anAsynchronousFailoverLosesOnlyWhatItLacked() throws {
        let pair = try PostgresPair()
        let nodes = try PostgresNodes(cluster: pair.primary, url: pair.url)
        let traffic = try NodesTraffic(
            NodesTraffic.Plan(writers: 4, each: 250, pages: 3, kind: .newest),
            on: nodes,
            seed: seed
        )
        var kept = 0
        var history = try traffic.run(heir: pair.standby) {
            try Deadline(.seconds(60)).wait(for: "answers") { traffic.answered >= 40 }
            kept = traffic.answered
            try pair.waitForReplay()
            pair.cutOff()
            // Each of the four writers may still be answered for what the standby has.
            let reached = traffic.answered + 4
            try Deadline(.seconds(60)).wait(for: "answers that will be lost") { traffic.answered >= reached + 10 }
            try pair.failOver()
        }
        #expect(history.cursorViolations.isEmpty, "seed \(seed)")
        let present = Set(history.log.map(\.event))
        let lost = history.answers.filter { $0.isIn && !present.contains($0.event) }
        #expect(lost.count >= 10, "seed \(seed)")
        #expect(history.answers.filter(\.isIn).prefix(kept).allSatisfy { present.contains($0.event) }, "seed \(seed)")
        let epoch = try #require(history.log.last?.cursor.prefix { $0 != "-" })
        #expect(lost.allSatisfy { $0.cursor?.hasPrefix(epoch + "-") == false }, "seed \(seed)")
        // The frames of the former epoch were a prefix of a log that is gone.
        for index in history.pages.indices {
            history.pages[index].since = nil
            history.pages[index].frames.removeAll { $0.cursor?.hasPrefix(epoch + "-") != true }
        }
        history.answers = []
        #expect(history.violations.isEmpty, "seed \(seed)")
    }
}
