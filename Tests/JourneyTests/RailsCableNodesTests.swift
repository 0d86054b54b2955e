import TestSupport
import Testing

/// Every node reads the app's cable database; the one that leads commits.
@Suite(.enabled(if: PostgresCluster.isInstalled), .blocking) struct RailsCableNodesTests {
    private static let table = """
        CREATE TABLE solid_cable_messages (id bigserial PRIMARY KEY, channel bytea NOT NULL, payload bytea NOT NULL,
        created_at timestamp(6) NOT NULL, channel_hash bigint NOT NULL)
        """
    private let cluster: PostgresCluster
    /// Between the second node and the app's database.
    private let proxy: StallingProxy
    private let nodes: PostgresNodes

    init() throws {
        cluster = try PostgresCluster()
        try cluster.psql(RailsCableNodesTests.table)
        proxy = StallingProxy(toPort: cluster.port)
        let urls = [cluster.url, "postgres://paycast@127.0.0.1:\(proxy.port)/postgres"]
        nodes = try PostgresNodes(cluster: cluster, environments: urls.map { ["PAYCAST_RAILS_CABLE_URL": $0] })
    }

    private func losses() throws -> Int? {
        Int(try cluster.psql("SELECT count(*) FROM paycast.entries WHERE kind = 'broadcasts.lost'"))
    }

    private func broadcast(_ text: String) throws {
        try cluster.psql(
            """
            INSERT INTO solid_cable_messages (channel, payload, created_at, channel_hash)
            VALUES ('user:42:paywall', convert_to('\(railsJSON(update(text)))', 'UTF8'), now(), 1)
            """
        )
    }

    private func wait(for line: String, of node: Int) throws {
        _ = try nodes[node].process.errorLine { $0.contains(line) }
    }

    @Test func broadcastIsCommittedOnce() throws {
        try wait(for: "this node leads", of: 0)
        for node in 0...1 { try nodes.waitForCable(of: node) }
        let pages = try (0...1).map { try nodes.page(on: $0) }
        for page in pages { _ = try page.block() }
        try broadcast("once.")
        try broadcast("last.")
        for page in pages { #expect(try page.broadcasts(until: "last.") == [update("once."), update("last.")]) }
    }

    /// What the first node read last may be nowhere.
    @Test func pagesReloadWhenAnotherNodeTakesOver() throws {
        try wait(for: "this node leads", of: 0)
        try nodes.waitForCable(of: 1)
        let page = try nodes.page(on: 1)
        _ = try page.block()
        try broadcast("before.")
        #expect(try page.broadcasts(until: "before.") == [update("before.")])
        try nodes[0].stop()
        try broadcast("meanwhile.")
        try wait(for: "this node leads", of: 1)
        try page.cursors(until: "refresh")
        try broadcast("after.")
        try page.cursors(until: "after.")
    }

    /// The second node has not read for a while when it takes over: what the first one has read meanwhile is in already.
    @Test func whatTheFormerLeaderReadIsCommittedOnce() throws {
        try wait(for: "this node leads", of: 0)
        try nodes.waitForCable(of: 1)
        proxy.stall("paycast cable")
        proxy.waitUntilStalled()
        let page = try nodes.page(on: 1)
        _ = try page.block()
        try broadcast("early.")
        #expect(try page.broadcasts(until: "early.") == [update("early.")])
        try nodes[0].stop()
        try wait(for: "this node leads", of: 1)
        proxy.restore()
        try page.cursors(until: "refresh")
        try broadcast("late.")
        #expect(try page.broadcasts(until: "late.") == [update("late.")])
    }

    /// The ledger refuses to record the loss at first.
    @Test func aLossIsRecordedUntilItIsIn() throws {
        try wait(for: "this node leads", of: 0)
        try nodes.waitForCable(of: 0)
        try nodes.waitForCable(of: 1)
        let before = try losses()
        try cluster.psql(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''not now''; END';
            CREATE TRIGGER refuse BEFORE INSERT ON paycast.entries
                FOR EACH ROW WHEN (NEW.kind = 'broadcasts.lost') EXECUTE FUNCTION refuse()
            """
        )
        try nodes[0].stop()
        try wait(for: "ledger command failed", of: 1)
        #expect(try losses() == before)
        try cluster.psql("DROP TRIGGER refuse ON paycast.entries")
        try Deadline(.seconds(60)).wait(for: "the loss") { try losses() == before.map { $0 + 1 } }
    }

    /// The app's database comes later than the lead: pages that were there before may have missed something.
    @Test func aLeaderThatHearsLateRecordsALoss() throws {
        let cluster = try PostgresCluster()
        try cluster.psql("CREATE DATABASE app")
        let url = cluster.url.replacing("/postgres", with: "/app")
        let nodes = try PostgresNodes(1, cluster: cluster, environments: [["PAYCAST_RAILS_CABLE_URL": url]])
        _ = try nodes[0].process.errorLine { $0.contains("this node leads") }
        let cursor = try nodes.broadcast("before.", through: 0)
        try cluster.psql(RailsCableNodesTests.table, database: "app")
        try nodes.page(on: 0, since: cursor).cursors(until: "refresh")
    }
}
