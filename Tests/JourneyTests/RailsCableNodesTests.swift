import TestSupport
import Testing

/// Every node reads the app's cable database; the one that leads commits.
@Suite(.enabled(if: PostgresCluster.isInstalled), .timeLimit(.minutes(10)), .blocking) struct RailsCableNodesTests {
    private let cluster: PostgresCluster
    private let nodes: PostgresNodes

    init() throws {
        cluster = try PostgresCluster()
        try cluster.psql(
            """
            CREATE TABLE solid_cable_messages (id bigserial PRIMARY KEY, channel bytea NOT NULL, payload bytea NOT NULL,
            created_at timestamp(6) NOT NULL, channel_hash bigint NOT NULL)
            """
        )
        let settings = ["PAYCAST_RAILS_CABLE_URL": cluster.url]
        nodes = try PostgresNodes(cluster: cluster, environments: [settings, settings])
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

    /// Beside these, the first node makes pages reload when it begins to lead.
    private func broadcasts(on page: EventStreamClient, until last: String) throws -> [String] {
        var texts: [String] = []
        while texts.last?.contains(last) != true {
            let text = try #require(try page.message().data)
            if !text.contains("refresh") { texts.append(text) }
        }
        return texts
    }

    @Test func broadcastIsCommittedOnce() throws {
        try wait(for: "this node leads", of: 0)
        for node in 0...1 { try wait(for: "rails cable connected", of: node) }
        let pages = try (0...1).map { try nodes.page(on: $0) }
        for page in pages { _ = try page.block() }
        try broadcast("once.")
        try broadcast("last.")
        for page in pages { #expect(try broadcasts(on: page, until: "last.") == [update("once."), update("last.")]) }
    }

    /// What the first node read last may be nowhere.
    @Test func pagesReloadWhenAnotherNodeTakesOver() throws {
        try wait(for: "this node leads", of: 0)
        try wait(for: "rails cable connected", of: 1)
        let page = try nodes.page(on: 1)
        _ = try page.block()
        try broadcast("before.")
        #expect(try broadcasts(on: page, until: "before.") == [update("before.")])
        try nodes[0].stop()
        try broadcast("meanwhile.")
        try wait(for: "this node leads", of: 1)
        try page.cursors(until: "refresh")
        try broadcast("after.")
        try page.cursors(until: "after.")
    }
}
