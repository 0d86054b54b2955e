import Domain
import Support
import Synchronization
import TestSupport
import Testing

@testable import Ledger

/// Nodes in one process that share a ledger in a real PostgreSQL.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct LedgerFollowerTests {
    private let cluster: PostgresCluster

    init() throws {
        cluster = try PostgresCluster.shared()
    }

    /// Both write at once; each entry arrives once at each, in order.
    @Test func allSeeOneOrder() throws {
        let nodes = try nodes(2)
        for round in 0..<100 { try nodes[round % 2].broadcast("step \(round)") }
        for node in nodes {
            let entries = node.committed.wait { $0.count == 100 ? $0 : nil }
            #expect(entries.map(\.position) == Array(1...100))
            #expect(entries.allSatisfy { $0.fragments.count == 1 })
            node.close()
            #expect(node.committed.all.count == 100)
        }
    }

    @Test(arguments: [0, 1, 400_000]) func othersHearWhatOneTells(_ bytes: Int) throws {
        let nodes = try nodes(3)
        let body = (0..<bytes).map { UInt8(truncatingIfNeeded: $0) }
        for node in nodes { node.heard.wait { $0.isConnected ? () : nil } }
        #expect(nodes[0].follower.sendToNodes(body))
        for node in nodes[1...] {
            #expect(node.heard.wait { $0.bodies.first } == body)
        }
        #expect(nodes[1].follower.sendToNodes([7]))
        #expect(nodes[0].heard.wait { $0.bodies.first } == [7], "its own did not come back")
        for node in nodes { node.close() }
    }

    /// What a node commits before it tells something comes first, everywhere.
    @Test func whatIsToldComesAfterWhatWasCommitted() throws {
        let nodes = try nodes(2)
        for node in nodes { node.heard.wait { $0.isConnected ? () : nil } }
        // A message waits a second for entries that cannot be read: the first reading takes as long on a busy machine.
        try nodes[0].broadcast("first")
        nodes[1].committed.wait { $0.isEmpty ? nil : () }
        for round in 1...20 {
            try nodes[0].broadcast("step")
            nodes[0].follower.sendToNodes([UInt8(round)])
        }
        let heard = nodes[1].heard.wait { $0.bodies.count == 20 ? $0 : nil }
        #expect(heard.bodies.flatMap(\.self) == Array(1...20))
        for (index, position) in heard.positions.enumerated() { #expect(position >= index + 2) }
        for node in nodes { node.close() }
    }

    @Test func garbageIsNotHeard() throws {
        let nodes = try nodes(2)
        for node in nodes { node.heard.wait { $0.isConnected ? () : nil } }
        let epoch = nodes[0].writer.epoch
        for payload in ["", "x", "\(epoch):", "\(epoch):x", "\(epoch):-9223372036854775808", "\(epoch):1:2:3", ":::::"]
        {
            for channel in ["paycast", "paycast_messages"] {
                try cluster.psql("SELECT pg_notify('\(channel)', '\(payload)')")
            }
        }
        // In the right form, but not from a node.
        try cluster.psql("SELECT pg_notify('paycast_messages', '\(epoch):9223372036854775807:1:0:1:AA==')")
        #expect(nodes[0].follower.sendToNodes([7]))
        #expect(nodes[1].heard.wait { $0.bodies.first } == [7])
        try nodes[0].broadcast("still")
        #expect(nodes[1].committed.wait { $0.first?.position } == 1)
        for node in nodes { node.close() }
    }

    /// An erasure's entry names nobody, and yet each node knows whom to forget: it may have been away.
    @Test func erasuresAreRead() throws {
        let nodes = try nodes(2)
        _ = try nodes[0].order("erin")
        _ = try nodes[0].order("otto")
        try nodes[0].erase("erin")
        let erased = nodes[1].heard.wait { $0.erased.first }
        #expect(erased.contains("erin") && !erased.contains("otto"))
        #expect(nodes[0].heard.withLock { $0.erased.isEmpty }, "its own entry names the stream")
        for node in nodes { node.close() }
    }

    /// The log's connection hangs: what this node commits is out at once, unless somebody else was first.
    @Test func aHangingLogDelaysOnlyWhatComesAfterOthers() throws {
        let proxy = StallingProxy(toPort: cluster.port)
        let schema = Node.newSchema()
        let slow = try Node("slow", schema: schema, port: proxy.port)
        let quick = try Node("quick", schema: schema, port: cluster.port)
        try slow.broadcast("first")
        _ = quick.committed.wait { $0.first }
        proxy.stall("paycast log")
        proxy.waitUntilStalled()
        try slow.broadcast("own")
        // No connection of the log passes anything before `restore`, so what comes out now has not waited for one.
        slow.committed.wait { $0.count == 2 ? () : nil }

        try quick.broadcast("other's")
        proxy.restore()
        try slow.broadcast("own")
        let entries = slow.committed.wait { $0.count == 4 ? $0 : nil }
        #expect(entries.map(\.position) == [1, 2, 3, 4])
        slow.close()
        quick.close()
    }

    private func nodes(_ count: Int) throws -> [Node] {
        let schema = Node.newSchema()
        return try (0..<count).map { try Node("node \($0)", schema: schema, port: cluster.port) }
    }
}
