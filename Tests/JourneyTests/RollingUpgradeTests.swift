import API
import Glibc
import TestSupport
import Testing

/// Nodes are replaced one by one under load: without a gap, and with cursors that are valid on old and new ones.
///
/// `Tests/Upgrade/run` builds an older commit, and names its program in `PAYCAST_OLD_BINARY`. Without it, a release is
/// replaced by itself.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled && HAProxy.isInstalled)) struct RollingUpgradeTests {
    private static let old = getenv("PAYCAST_OLD_BINARY").map { String(cString: $0) }
    private let seed = UInt64.random(in: .min ... .max)

    @Test func nodesAreReplacedUnderLoad() throws {
        let nodes = try PostgresNodes(3, program: RollingUpgradeTests.old ?? PaycastProgram.path)
        let balancer = try HAProxy(toPorts: nodes.nodes.map(\.port))
        let plan = NodesTraffic.Plan(writers: 3, each: 150, pages: 6, cut: 20...60)
        let traffic = try NodesTraffic(plan, on: nodes, balancer: balancer, seed: seed)
        let history = try traffic.run {
            for (number, node) in nodes.nodes.enumerated() {
                try Deadline(.seconds(60)).wait(for: "answers") { traffic.answered >= (number + 1) * 80 }
                try node.stop(with: .terminate)
                try node.start(PaycastProgram.path)
            }
        }
        let statuses = traffic.statuses
        print("RollingUpgradeTests: \(history.answers.count) requests for \(traffic.answered) events: \(statuses)")
        #expect(history.violations.isEmpty, "seed \(seed)")
        #expect(traffic.answered == 3 * 150 + 1 && statuses.isSubset(of: [202, 503]), "seed \(seed)")
        for index in 0..<3 {
            // Older ones, which do not name theirs, are remembered for a minute.
            try nodes.wait(on: index, for: "three nodes") { told in told.nodes.count { $0.version != nil } == 3 }
        }
    }
}
