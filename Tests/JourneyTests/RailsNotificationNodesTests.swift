import TestSupport
import Testing

/// Every node listens to what pages of any node follow; the one that leads commits.
@Suite(.enabled(if: PostgresCluster.isInstalled), .blocking)
struct RailsNotificationNodesTests {
    private let cluster: PostgresCluster
    private let nodes: PostgresNodes

    init() throws {
        cluster = try PostgresCluster()
        let settings = ["PAYCAST_RAILS_CABLE_URL": cluster.url, "PAYCAST_RAILS_CABLE_ADAPTER": "postgresql"]
        nodes = try PostgresNodes(cluster: cluster, environments: [settings, settings])
    }

    private func broadcast(_ text: String) throws {
        try cluster.psql("NOTIFY \"user:42:paywall\", '\(railsJSON(update(text)))'")
    }

    private func wait(for line: String, of node: Int) throws {
        _ = try nodes[node].process.errorLine { $0.contains(line) }
    }

    private func waitForStreams(_ count: Int, of node: Int) throws {
        try Deadline(.seconds(60)).wait(for: "the streams of node \(node)") {
            let metrics = try nodes.ask("GET", "/metrics", on: node)
            return metrics.contains("\npaycast_rails_cable_streams \(count)\n")
        }
    }

    @Test func leaderHearsWhatPagesOfAnotherNodeFollow() throws {
        try wait(for: "this node leads", of: 0)
        for node in 0...1 { try nodes.waitForCable(of: node) }
        let page = try nodes.page(on: 1)
        _ = try page.block()
        for node in 0...1 { try waitForStreams(1, of: node) }
        try broadcast("once.")
        try broadcast("last.")
        #expect(try page.broadcasts(until: "last.") == [update("once."), update("last.")])
    }

    @Test func nodeThatTakesOverHearsThem() throws {
        try wait(for: "this node leads", of: 0)
        try nodes.waitForCable(of: 1)
        let page = try nodes.page(on: 1)
        _ = try page.block()
        try waitForStreams(1, of: 1)
        try nodes[0].stop()
        try wait(for: "this node leads", of: 1)
        try page.cursors(until: "refresh")
        try broadcast("after.")
        try page.cursors(until: "after.")
    }

    /// It asks the others when it comes.
    @Test func nodeThatComesLaterHearsThem() throws {
        try wait(for: "this node leads", of: 0)
        let page = try nodes.page(on: 0)
        _ = try page.block()
        try waitForStreams(1, of: 0)
        try nodes[1].stop()
        try nodes[1].start()
        try waitForStreams(1, of: 1)
    }
}
