import API
import Domain
import Encoding
import HTTPClient
import Simulator
import Support
import TestSupport
import Testing

/// Machines whose clocks are ten minutes apart.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled && FakeClock.isInstalled)) struct NodesClockTests {
    private let nodes: PostgresNodes

    init() throws {
        let environments = ["+5m", "-5m"].map { offset in
            FakeClock.environment(offset).merging(["PAYCAST_LEEWAY_SECONDS": "0"]) { own, _ in own }
        }
        nodes = try PostgresNodes(environments: environments)
        for node in nodes.nodes { _ = try node.process.errorLine { $0.contains("clock follows PostgreSQL") } }
    }

    /// Access ends on both at the database's time, minutes after it would have by the first clock, and minutes before by
    /// the second.
    @Test func accessEndsByTheDatabasesClock() throws {
        let end = Clock().now() + .seconds(30)
        for index in 0..<2 {
            let delivery = try nodes.purchase("e\(index)", at: index, accessUntil: end)
            let answer = try PostgresNodes.call(
                "POST",
                to: nodes[index].url + delivery.path,
                headers: delivery.headers,
                body: String(decoding: delivery.body, as: UTF8.self)
            )
            #expect(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
        }
        #expect(try [0, 1].map(active) == [true, true])
        #expect(Clock().now() < end)
        try Deadline(.seconds(90)).wait(for: "the end") { try [0, 1].map(active) == [false, false] }
        let late = (Clock().now().milliseconds - end.milliseconds)
        // By its own clock, a node would be minutes off.
        #expect(0 <= late && late < 60_000, "\(late) ms")
    }

    /// Whoever is ahead does not take the work from a node that lives, and whoever is behind takes it from one that died.
    @Test func leasesEndByTheDatabasesClock() throws {
        let leads = { (node: PaycastServer) in try node.process.errorLine { $0.contains("this node leads") } }
        _ = try leads(nodes[0])
        let held = try nodes.cluster.psql("SELECT node, ends_at FROM paycast.leases")
        try nodes.wait(on: 1, for: "a heartbeat of each") { $0.nodes.count == 2 }
        try Deadline(.seconds(60)).wait(for: "a renewal") {
            try nodes.cluster.psql("SELECT node, ends_at FROM paycast.leases") != held
        }
        #expect(!nodes[1].process.errors.contains("this node leads"))
        try nodes[0].stop()
        _ = try leads(nodes[1])
    }

    /// What ends within the minutes between the clocks is still there when the node that is ahead starts again.
    @Test func aNodeThatStartsEndsNothingByItsOwnClock() throws {
        let delivery = try nodes.purchase("e", at: 0, accessUntil: Clock().now() + .seconds(120))
        let answer = try PostgresNodes.call(
            "POST",
            to: nodes[0].url + delivery.path,
            headers: delivery.headers,
            body: String(decoding: delivery.body, as: UTF8.self)
        )
        #expect(answer.status == 200)
        try nodes[0].restart()
        // The writer looks for what ends before anything that it is sent.
        try nodes.broadcast("after.", through: 0)
        #expect(try active(on: 0))
        #expect(try nodes.cluster.psql("SELECT count(*) FROM paycast.entries WHERE kind = 'access.ended'") == "0")
    }

    @Test func theDifferenceIsAWarning() throws {
        for (node, ahead) in [(0, 300), (1, -300)] {
            try nodes.wait(on: node, for: "a heartbeat") { _ in true }
            let ready = try nodes.ready(on: node)
            #expect(abs(Int(ready.ledger?.clockAheadSeconds ?? 0) - ahead) <= 2)
            let way = ahead < 0 ? "behind" : "ahead of"
            #expect(ready.warnings.contains { $0.contains("s \(way) PostgreSQL's: synchronize both (NTP)") })
        }
        let output = try nodes.doctor(environment: FakeClock.environment("+5m"))
        #expect(output.contains("this machine's clock is ") && output.contains("s ahead of PostgreSQL's"), "\(output)")
    }

    private func active(on node: Int) throws -> Bool {
        let answer = try PostgresNodes.call("GET", to: nodes[node].url + "/users/buyer/entitlements")
        return answer.json?["active"] == .boolean(true)
    }
}
