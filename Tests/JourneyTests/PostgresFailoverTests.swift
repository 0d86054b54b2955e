import Domain
import Support
import TestSupport
import Testing

/// The primary is killed, and a real standby is promoted.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct PostgresFailoverTests {
    /// Nothing was lost: pages stay, and their cursors count on the promoted server.
    @Test func nothingIsLostWhenTheStandbyHasAll() throws {
        let pair = try PostgresPair()
        let nodes = try PostgresNodes(cluster: pair.primary, url: pair.url)
        let pages = try [0, 1].map { try nodes.page(on: $0) }
        let cursor = try nodes.broadcast("before.", through: 0)
        for page in pages { try page.cursors(until: "before.") }
        try pair.waitForReplay()
        let start = ContinuousClock.now
        try pair.failOver()
        let promoted = ContinuousClock.now
        let next = try nodes.wait(for: "after.", through: 1)
        let committed = ContinuousClock.now
        for page in pages { #expect(try page.message().data?.contains("after.") == true) }
        print("failover: promoted after \(promoted - start), committed \(committed - promoted) later,")
        print("    on every page \(ContinuousClock.now - committed) after that")
        #expect(next.prefix { $0 != "-" } == cursor.prefix { $0 != "-" } && next.hasSuffix("-2"))
        #expect(try nodes.page(on: 0, since: cursor).message().data?.contains("after.") == true)
        // The living nodes vouch for it, so that a node that starts now changes nothing.
        try waitForTimeline("00000002", in: pair.standby)
        try nodes[1].restart()
        #expect(nodes.epochs(of: 1) == nodes.epochs(of: 0))
    }

    /// A node starts when the primary is gone, and the standby not yet promoted: it waits for that.
    @Test func aNodeStartsDuringAPromotion() throws {
        let pair = try PostgresPair()
        let nodes = try PostgresNodes(1, cluster: pair.primary, url: pair.url)
        try nodes.broadcast("before.", through: 0)
        try pair.waitForReplay()
        try nodes[0].stop(with: .terminate)
        try pair.primary.kill()
        let sessions = "SELECT sum(sessions) FROM pg_stat_database"
        let before = Int(try pair.standby.psql(sessions)) ?? 0
        let start = WorkerThread(name: "start") { try? nodes[0].start() }
        // The sessions of these questions count, too, and so does that of each attempt, five a second.
        var asked = 0
        try Deadline(.seconds(60)).wait(for: "attempts") {
            asked += 1
            return (Int(try pair.standby.psql(sessions)) ?? 0) - before > asked + 2
        }
        try pair.standby.promote()
        start.join()
        try nodes.wait(for: "after.", through: 0)
    }

    /// The standby lacks the newest commit: all nodes notice, and the epoch changes once.
    @Test func lostCommitsChangeTheEpochOnce() throws {
        let pair = try PostgresPair()
        let nodes = try PostgresNodes(cluster: pair.primary, url: pair.url)
        try nodes.broadcast("kept.", through: 0)
        try pair.waitForReplay()
        pair.cutOff()
        let cursor = try nodes.broadcast("lost.", through: 1)
        let page = try nodes.page(on: 0)
        try page.cursors(until: "lost.")
        try pair.failOver()
        let promoted = ContinuousClock.now
        let epoch = cursor.prefix { $0 != "-" }
        for node in [0, 1] { try nodes.waitForEpoch(otherThan: epoch, at: node) }
        print("lost commits: both nodes serve the new epoch \(ContinuousClock.now - promoted) after the promotion")
        for node in [0, 1] {
            let newest = try nodes.page(on: node, since: cursor).message()
            #expect(newest.data?.contains("kept.") == true, "\(newest)")
            print("    page \(node) is current \(ContinuousClock.now - promoted) after the promotion")
        }
        try expectOneNewEpoch(than: epoch, of: nodes, in: pair.standby)
    }

    /// One node lives that had seen less, and writes at the positions that were lost; the one that had seen more wakes up
    /// when they are taken.
    @Test func aNodeThatHadSeenLessGoesOnFirst() throws {
        let (pair, nodes, cursor) = try PostgresFailoverTests.nodesOfWhichOneHasSeenLess()
        nodes[0].process.send(.stop)
        try pair.failOver()
        nodes[1].process.send(.resume)
        try nodes.wait(for: "reused.", through: 1)
        let newest = try nodes.wait(for: "newest.", through: 1)
        nodes[0].process.send(.resume)
        let epoch = cursor.prefix { $0 != "-" }
        #expect(newest.hasPrefix(epoch))
        for node in [0, 1] { try nodes.waitForEpoch(otherThan: epoch, at: node) }
        #expect(try nodes.page(on: 1, since: cursor).message().data?.contains("newest.") == true)
        try expectOneNewEpoch(than: epoch, of: nodes, in: pair.standby)
    }

    /// The node that had seen more dies with the primary, so nobody knows what its pages have seen.
    @Test func aNodeThatDiesWithThePrimaryCannotVouch() throws {
        let (pair, nodes, cursor) = try PostgresFailoverTests.nodesOfWhichOneHasSeenLess()
        try nodes[0].stop()
        try pair.failOver()
        let promoted = ContinuousClock.now
        nodes[1].process.send(.resume)
        try nodes.wait(for: "reused.", through: 1)
        try nodes.wait(for: "newest.", through: 1)
        try nodes.waitForEpoch(otherThan: cursor.prefix { $0 != "-" }, at: 1)
        print("a dead witness: new epoch \(ContinuousClock.now - promoted) after the promotion")
        #expect(try nodes.page(on: 1, since: cursor).message().data?.contains("newest.") == true)
        try nodes[0].start()
        #expect(nodes.epochs(of: 0).last == nodes.epochs(of: 1).last && nodes.epochs(of: 1).count == 2)
    }

    /// A switchover, and the former primary, rewound, takes over again: two new timelines, and nothing is lost.
    @Test func thereAndBackChangesNothing() throws {
        let pair = try PostgresPair()
        let nodes = try PostgresNodes(cluster: pair.primary, url: pair.url)
        let page = try nodes.page(on: 1)
        let cursor = try nodes.broadcast("first.", through: 0)
        try pair.waitForReplay()
        try pair.failOver()
        try nodes.wait(for: "second.", through: 0)
        try pair.failBack()
        try nodes.wait(for: "third.", through: 1)
        let seen = try page.cursors(until: "third.")
        #expect(seen.suffix(3).map { $0.suffix(2) } == ["-1", "-2", "-3"], "\(seen)")
        #expect(seen.allSatisfy { $0.hasPrefix(cursor.prefix { $0 != "-" }) })
        try waitForTimeline("00000003", in: pair.primary)
        #expect(Set(nodes.epochs(of: 0) + nodes.epochs(of: 1)).count == 1)
    }

    /// A switchover may keep the timeline (https://github.com/patroni/patroni/issues/890), so that only what the nodes have
    /// seen tells whether anything is lost.
    @Test(arguments: [false, true]) func sameTimelineSaysNothing(losesCommits: Bool) throws {
        let pair = try PostgresPair()
        let nodes = try PostgresNodes(cluster: pair.primary, url: pair.url)
        var cursor = try nodes.broadcast("kept.", through: 0)
        try pair.waitForReplay()
        if losesCommits {
            pair.cutOff()
            let page = try nodes.page(on: 1)
            cursor = try nodes.broadcast("lost.", through: 0)
            try page.cursors(until: "lost.")
        }
        let timeline = "SELECT value FROM paycast.meta WHERE key = 'history'"
        let before = try pair.primary.psql(timeline)
        try pair.failOverOnTheSameTimeline()
        let epoch = cursor.prefix { $0 != "-" }
        if losesCommits {
            for node in [0, 1] { try nodes.waitForEpoch(otherThan: epoch, at: node) }
            try expectOneNewEpoch(than: epoch, of: nodes, in: pair.standby)
        }
        try nodes.wait(for: "after.", through: 1)
        // Its reader may have met the server while that was away.
        try Deadline(.seconds(60)).wait(for: "the newest state on the other node") {
            (try? nodes.page(on: 0, since: cursor).message().data)?.contains("after.") == true
        }
        if !losesCommits { #expect(Set(nodes.epochs(of: 0) + nodes.epochs(of: 1)) == [String(epoch)]) }
        #expect(try pair.standby.psql(timeline) == before)
    }

    /// What the store was answered 200 and the promotion has lost comes back from the store's history, without anybody's
    /// doing.
    @Test func theStoreBringsBackWhatIsLost() throws {
        let pair = try PostgresPair()
        let journey = try AppleJourney(environment: ["DATABASE_URL": pair.url])
        let order = try journey.order(for: "42")
        try pair.waitForReplay()
        pair.cutOff()
        let body = try journey.say("SUBSCRIBED", of: order.token, until: Clock().now() + .seconds(86_400))
        #expect(try journey.post(body).contains(#""outcome":"applied""#))
        try pair.failOver()
        let promoted = ContinuousClock.now
        #expect(try pair.standby.psql("SELECT count(*) FROM paycast.events") == "0")
        let process = journey.server.process
        _ = try process.errorLine(timeout: .seconds(60)) { $0.contains("ledger lost commits") }
        let line = try process.errorLine(timeout: .seconds(60)) { $0.contains(/history read .*recovered=1/) }
        print("recovered \(ContinuousClock.now - promoted) after the promotion: \(line)")
        let page = try EventStreamClient(port: journey.server.port, path: "/streams?name=\(order.stream)")
        try page.cursors(until: #"data-state="active""#)
    }

    /// A commit waits for its standby: while that is away nobody is answered 200, and the promotion loses nothing.
    @Test func aSynchronousStandbyLosesNothing() throws {
        let pair = try PostgresPair(isSynchronous: true)
        let nodes = try PostgresNodes(cluster: pair.primary, url: pair.url)
        let page = try nodes.page(on: 1)
        let cursor = try nodes.broadcast("before.", through: 0)
        try page.cursors(until: "before.")
        pair.cutOff()
        let refused = #expect(throws: PostgresNodes.Refused.self) { try nodes.broadcast("refused.", through: 0) }
        #expect(refused?.status == 503 && refused?.retryAfter != nil)
        try pair.failOver()
        let promoted = ContinuousClock.now
        let next = try nodes.wait(for: "after.", through: 0)
        print("synchronous: committed \(ContinuousClock.now - promoted) after the promotion")
        let seen = try page.message()
        #expect(seen.data?.contains("after.") == true, "\(seen)")
        #expect(next.prefix { $0 != "-" } == cursor.prefix { $0 != "-" })
        #expect(try nodes.page(on: 0, since: cursor).message().data?.contains("after.") == true)
        #expect(Set(nodes.epochs(of: 0) + nodes.epochs(of: 1)).count == 1)
    }

    /// PostgreSQL answers a cancelled wait as a success, with a warning. The server does not.
    @Test func aCancelledWaitIsNotAnsweredAsASuccess() throws {
        let pair = try PostgresPair(isSynchronous: true)
        let nodes = try PostgresNodes(1, cluster: pair.primary, url: pair.url)
        _ = try nodes[0].process.errorLine { $0.contains("this node leads") }
        pair.cutOff()
        let answer = Promise<(any Error)?>()
        let client = WorkerThread(name: "client") {
            do {
                try nodes.broadcast("cancelled.", through: 0)
                answer.fulfil(nil)
            } catch {
                answer.fulfil(error)
            }
        }
        // The one that has moved the head, and not the node's own lease.
        let movers = "SELECT pid FROM pg_locks WHERE relation = 'paycast.head'::regclass AND mode = 'RowExclusiveLock'"
        let waiting = "wait_event = 'SyncRep' AND query = 'COMMIT' AND pid IN (\(movers))"
        try Deadline(.seconds(60)).wait(for: "the wait for the standby") {
            try pair.primary.psql("SELECT count(*) FROM pg_stat_activity WHERE \(waiting)") == "1"
        }
        try pair.primary.psql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE \(waiting)")
        client.join()
        #expect((answer.wait() as? PostgresNodes.Refused)?.status == 503)
        // It is committed there nevertheless.
        #expect(try pair.primary.psql("SELECT position FROM paycast.head") == "1")
        pair.reconnect()
        #expect(try nodes.wait(for: "replicated.", through: 0).hasSuffix("-2"))
    }

    func waitForTimeline(_ timeline: String, in cluster: PostgresCluster) throws {
        try Deadline(.seconds(30)).wait(for: "a node that vouches") {
            try cluster.psql("SELECT value FROM paycast.meta WHERE key = 'history'").contains("/\(timeline)/")
        }
    }

    private func expectOneNewEpoch(
        than old: some StringProtocol,
        of nodes: PostgresNodes,
        in cluster: PostgresCluster
    ) throws {
        let epoch = try cluster.psql("SELECT epoch FROM paycast.head")
        for node in [0, 1] { #expect(nodes.epochs(of: node) == [String(old), epoch]) }
    }

    /// The second node sleeps, and the standby is cut off, when the first one commits the entry of the cursor.
    private static func nodesOfWhichOneHasSeenLess() throws -> (PostgresPair, PostgresNodes, cursor: String) {
        let pair = try PostgresPair()
        let nodes = try PostgresNodes(cluster: pair.primary, url: pair.url)
        try nodes.broadcast("kept.", through: 1)
        try pair.waitForReplay()
        pair.cutOff()
        nodes[1].process.send(.stop)
        return (pair, nodes, try nodes.broadcast("lost.", through: 0))
    }
}
