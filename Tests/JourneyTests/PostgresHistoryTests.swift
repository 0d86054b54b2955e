import Support
import TestSupport
import Testing

/// What nodes make of a ledger whose database is not where they left it, when none of them remembers what it had seen.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct PostgresHistoryTests {
    /// Both nodes start at once on the promoted standby: the epoch changes once.
    @Test func aPromotionWithoutNodesChangesTheEpochOnce() throws {
        let pair = try PostgresPair()
        let nodes = try PostgresNodes(cluster: pair.primary, url: pair.url)
        let cursor = try nodes.broadcast("kept.", through: 0)
        try pair.waitForReplay()
        pair.cutOff()
        try nodes.broadcast("lost.", through: 0)
        for node in nodes.nodes { try node.stop(with: .terminate) }
        try pair.failOver()
        let start = ContinuousClock.now
        let starters = nodes.nodes.map { node in WorkerThread(name: "starter") { try? node.start() } }
        for starter in starters { starter.join() }
        print("both nodes have started \(ContinuousClock.now - start) after the promotion")
        let epoch = try pair.standby.psql("SELECT epoch FROM paycast.head")
        #expect(!cursor.hasPrefix(epoch))
        #expect(nodes.epochs(of: 0) == [epoch] && nodes.epochs(of: 1) == [epoch])
        #expect(nodes.nodes.filter { $0.process.errors.contains("ledger has another history") }.count == 1)
        #expect(try nodes.page(on: 1, since: cursor).message().data?.contains("kept.") == true)
    }

    /// A restart, after a crash too, is the same history.
    @Test func aRestartChangesNothing() throws {
        let nodes = try PostgresNodes(1)
        let cursor = try nodes.broadcast("kept.", through: 0)
        for round in 0..<2 {
            try nodes[0].stop(with: round == 0 ? .terminate : .kill)
            if round == 0 { try nodes.cluster.stop() } else { try nodes.cluster.kill() }
            try nodes.cluster.start()
            try nodes[0].start()
            #expect(nodes.epochs(of: 0).allSatisfy { cursor.hasPrefix($0) } && nodes.epochs(of: 0).count == 1)
        }
    }

    /// A restored dump is in other tables, even in the same database.
    @Test func aRestoredDumpChangesTheEpochOnce() throws {
        let nodes = try PostgresNodes(1)
        let cursor = try nodes.broadcast("kept.", through: 0)
        let dump = try nodes.cluster.dump(schema: "paycast")
        try nodes.broadcast("lost.", through: 0)
        try nodes[0].stop(with: .terminate)
        try nodes.cluster.psql("DROP SCHEMA paycast CASCADE")
        try nodes.cluster.restore(dump)
        try nodes[0].start()
        let epoch = try nodes.cluster.psql("SELECT epoch FROM paycast.head")
        #expect(!cursor.hasPrefix(epoch) && nodes.epochs(of: 0) == [epoch])
        #expect(try nodes.page(on: 0, since: cursor).message().data?.contains("kept.") == true)
        try nodes[0].restart()
        #expect(nodes.epochs(of: 0) == [epoch])
    }

    /// `synchronous_commit = off`, and PostgreSQL dies before it has written: what was answered is gone, and the node that
    /// lives on notices, although the timeline is the same. Without a loss here, no other test could tell one.
    @Test func aCommitThatWasNotFlushedIsNoticed() throws {
        let cluster = try PostgresCluster(["synchronous_commit=off", "wal_writer_delay=10s"])
        let nodes = try PostgresNodes(cluster: cluster)
        try nodes.broadcast("kept.", through: 0)
        // Everything so far is written.
        try cluster.psql("SET synchronous_commit = on; CREATE TABLE flushed ()")
        let cursor = try nodes.broadcast("lost.", through: 0)
        try cluster.kill()
        try cluster.start()
        #expect(try cluster.psql("SELECT count(*) FROM paycast.fragments WHERE body LIKE '%lost.%'") == "0")
        let epoch = cursor.prefix { $0 != "-" }
        for node in [0, 1] { try nodes.waitForEpoch(otherThan: epoch, at: node) }
        #expect(try nodes.page(on: 1, since: cursor).message().data?.contains("kept.") == true)
    }
}
