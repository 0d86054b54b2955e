import TestSupport
import Testing

/// Several servers on one ledger in a real PostgreSQL: whichever takes something, all show it.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct PostgresNodesTests {
    /// Both write at once, and each page sees every position once, in order.
    @Test func allPagesSeeOneOrder() throws {
        let nodes = try PostgresNodes()
        let pages = try [0, 1].map { try nodes.page(on: $0) }
        for round in 0..<40 { try nodes.broadcast("step \(round).", through: round % 2) }
        for page in pages {
            let positions = try page.cursors(until: "step 39.").compactMap { $0.split(separator: "-").last }
            #expect(positions.compactMap { Int($0) } == Array(positions.count == 41 ? 0...40 : 1...40))
        }
    }

    /// `kill -9` of the node that leads, while a page is on it: the page goes on elsewhere, and so does the work.
    @Test func theOtherNodeTakesOver() throws {
        let nodes = try PostgresNodes()
        let leads = { (node: PaycastServer) in try node.process.errorLine { $0.contains("this node leads") } }
        _ = try leads(nodes[0])
        let page = try nodes.page(on: 0)
        let cursor = try nodes.broadcast("before.", through: 0)
        try page.cursors(until: "before.")
        try nodes[0].stop()
        try nodes.broadcast("meanwhile.", through: 1)
        let elsewhere = try nodes.page(on: 1, since: cursor)
        #expect(try elsewhere.message().data?.contains("meanwhile.") == true)
        _ = try leads(nodes[1])
        try nodes[0].start()
        #expect(try nodes.page(on: 0, since: cursor).message().data?.contains("meanwhile.") == true)
    }

    /// Pages stay, publishers are refused, and what was answered is there afterwards.
    @Test func theDatabaseIsKilled() throws {
        let nodes = try PostgresNodes()
        let page = try nodes.page(on: 1)
        try nodes.broadcast("before.", through: 0)
        try page.cursors(until: "before.")
        try nodes.cluster.kill()
        #expect(throws: PostgresNodes.Refused(status: 503, retryAfter: "5")) {
            try nodes.broadcast("lost.", through: 0)
        }
        #expect(try nodes.problems(of: 0).contains("PostgreSQL"))
        try nodes.cluster.start()
        try Deadline(.seconds(30)).wait(for: "commits") { (try? nodes.broadcast("after.", through: 0)) != nil }
        let seen = try page.message()
        #expect(seen.data?.contains("after.") == true, "\(seen)")
    }

    /// A notification is only a hint: without it, the log is read once a second.
    @Test func withoutNotificationsItTakesASecond() throws {
        let nodes = try PostgresNodes()
        let page = try nodes.page(on: 1)
        try nodes.broadcast("heard.", through: 0)
        try page.cursors(until: "heard.")
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'paycast listener'"
        try Deadline(.seconds(60)).wait(for: "both listeners") { try nodes.cluster.psql(end) == "t\nt" }
        try nodes.broadcast("unheard.", through: 0)
        try page.cursors(until: "unheard.")
    }

    /// A promoted standby that lacks the newest commits: their positions will be given again. So every cursor of the old
    /// epoch must stop counting, and pages are sent the newest of what is left.
    @Test func lostCommitsChangeTheEpoch() throws {
        let nodes = try PostgresNodes(sockets: [HeldSocket()])
        try nodes.broadcast("kept.", through: 0)
        let cursor = try nodes.broadcast("lost.", through: 1)
        try nodes.cluster.psql(
            """
            BEGIN; DELETE FROM paycast.fragments WHERE position = 2; DELETE FROM paycast.entries WHERE position = 2;
            UPDATE paycast.head SET position = 1; COMMIT
            """
        )
        let epoch = cursor.prefix { $0 != "-" }
        for node in nodes.nodes {
            _ = try node.process.errorLine { $0.contains("ledger lost commits") }
            _ = try node.process.errorLine { $0.contains(" serving ") && !$0.contains("epoch=\(epoch)") }
        }
        // Started again in the same process, the first one still has the socket that is held for it.
        let lines = nodes[0].process.errors.split(separator: "\n")
        #expect(lines.count { $0.hasSuffix(" sockets inherited names=paycast") } == 2)
        let page = try nodes.page(on: 0, since: cursor)
        let newest = try page.message()
        #expect(newest.data?.contains("kept.") == true, "\(newest)")
        #expect(newest.id?.hasPrefix(epoch) == false)
        let next = try nodes.broadcast("next.", through: 1)
        #expect(next.hasSuffix("-2") && next.prefix { $0 != "-" } == newest.id?.prefix { $0 != "-" })
        #expect(try page.message().data?.contains("next.") == true)
    }
}
