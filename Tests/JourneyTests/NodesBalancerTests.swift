import TestSupport
import Testing

/// Two nodes behind a real HAProxy, which gives each new connection to the next node.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled && HAProxy.isInstalled)) struct NodesBalancerTests {
    private let seed = UInt64.random(in: .min ... .max)

    /// Networks drop each page's connection every few messages, and each time it comes to another node.
    @Test(arguments: [HistoryChecker.Page.Kind.everything, .newest])
    func pagesThatMoveMissNothing(_ kind: HistoryChecker.Page.Kind) throws {
        let nodes = try PostgresNodes()
        let balancer = try HAProxy(toPorts: nodes.nodes.map(\.port))
        let plan = NodesTraffic.Plan(writers: 2, each: 100, pages: 8, kind: kind, cut: 1...4)
        let traffic = try NodesTraffic(plan, on: nodes, balancer: balancer, seed: seed)
        let history = try traffic.run()
        #expect(history.violations.isEmpty, "seed \(seed)")
        #expect(traffic.statuses == [202], "seed \(seed)")
    }

    /// A stock page that comes back names the cursor with which it was rendered, and gets the newest since then.
    @Test(arguments: [NodesTraffic.Transport.webSocket, .cable])
    func pagesWithoutACursorEndWithTheNewest(_ transport: NodesTraffic.Transport) throws {
        let nodes = try PostgresNodes()
        let balancer = try HAProxy(toPorts: nodes.nodes.map(\.port))
        let plan = NodesTraffic.Plan(
            writers: 2,
            each: 100,
            pages: 8,
            kind: .newest,
            transport: transport,
            cut: 1...4
        )
        let traffic = try NodesTraffic(plan, on: nodes, balancer: balancer, seed: seed)
        let history = try traffic.run()
        #expect(history.violations.isEmpty, "seed \(seed)")
        #expect(history.pages.count > 8, "no page lost its connection")
        #expect(traffic.statuses == [202], "seed \(seed)")
    }

    /// Its pages end up on the other one, and miss nothing.
    @Test func aNodeIsKilled() throws {
        let nodes = try PostgresNodes()
        let balancer = try HAProxy(toPorts: nodes.nodes.map(\.port))
        let plan = NodesTraffic.Plan(writers: 2, each: 60, pages: 6)
        let traffic = try NodesTraffic(plan, on: nodes, balancer: balancer, seed: seed)
        let history = try traffic.run {
            try Deadline(.seconds(60)).wait(for: "answers") { traffic.answered >= 40 }
            try nodes[0].stop()
        }
        #expect(history.violations.isEmpty, "seed \(seed)")
        #expect(traffic.answered == 2 * 60 + 1, "seed \(seed)")
    }
}
