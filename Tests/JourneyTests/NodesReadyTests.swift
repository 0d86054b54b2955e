import API
import APIModel
import HTTPClient
import TestSupport
import Testing

/// What `/ready` and `paycast doctor` say of the nodes and of PostgreSQL.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct NodesReadyTests {
    @Test func namesTheNodes() throws {
        let nodes = try PostgresNodes()
        let version = PaycastProgram.start(["version"])
        #expect(try version.waitForExit() == 0)
        let number = version.output.split(separator: "\n").first?.split(separator: " ").last.map(String.init)
        try nodes.wait(on: 1, for: "both nodes") { $0.nodes.count == 2 && $0.nodes.contains { $0.leads } }
        let told = try #require(nodes.ready(on: 1).ledger)
        #expect(told.nodes.map(\.version) == [number, number] && told.nodes.count { $0.leads } == 1)
        #expect(told.nodes.contains { $0.name == told.node && !$0.leads })
        #expect(told.nodes.allSatisfy { $0.silentSeconds < 10 })
        #expect(told.postgresql.hasPrefix("15.") && told.replication == "none" && told.standbys == 0)
        #expect(told.lagBytes == nil && !told.pooled && told.clockAheadSeconds == 0 && told.queuePercent == 0)
        let output = try nodes.doctor()
        for node in told.nodes { #expect(output.contains("\(node.name) (\(number ?? ""), seen ")) }
        // A node that has ended is gone at once.
        try nodes[0].stop(with: .terminate)
        try nodes.wait(on: 1, for: "one node") { $0.nodes.count == 1 && $0.nodes[0].leads }
    }

    /// A deployment: it is shown, and nothing is wrong.
    @Test func twoVersionsAreNoProblem() throws {
        let nodes = try PostgresNodes()
        try nodes.wait(on: 0, for: "both nodes") { $0.nodes.count == 2 }
        let other = try #require(nodes.ready(on: 1).ledger?.node)
        try nodes.cluster.psql("UPDATE paycast.nodes SET version = '0.0.9' WHERE node = '\(other)'")
        try nodes.wait(on: 0, for: "the other version") { $0.nodes.contains { $0.version == "0.0.9" } }
        #expect(try nodes.ready(on: 0).warnings.isEmpty)
        let output = try nodes.doctor()
        #expect(output.contains("several versions run: 0.0.9, "), "\(output)")
    }

    /// An operator has to know whether a failover may lose commits, and how far behind the standby is.
    @Test(arguments: [false, true]) func saysHowItIsReplicated(isSynchronous: Bool) throws {
        let pair = try PostgresPair(isSynchronous: isSynchronous)
        let nodes = try PostgresNodes(1, cluster: pair.primary, url: pair.url)
        try nodes.wait(on: 0, for: "the standby") { $0.standbys == 1 && $0.lagBytes != nil }
        let word = isSynchronous ? "synchronous" : "asynchronous"
        #expect(try nodes.ready(on: 0).ledger?.replication == word)
        let output = try nodes.doctor(environment: ["DATABASE_URL": pair.url])
        #expect(output.contains("1 \(word) standbys (") && output.contains(" bytes behind at most)"), "\(output)")
        #expect(output.contains("a failover may lose the last commits") == !isSynchronous, "\(output)")
        guard !isSynchronous else { return }
        pair.cutOff()
        try nodes.broadcast("not there.", through: 0)
        try nodes.wait(on: 0, for: "what it lacks") { $0.lagBytes ?? 0 > 0 || $0.standbys == 0 }
    }

    @Test(.enabled(if: PostgresCluster.isPoolerInstalled)) func namesThePooler() throws {
        let cluster = try PostgresCluster()
        let reserved = ReservedPort()
        let pooler = try cluster.pooler(port: reserved.number)
        let pooled = ["DATABASE_URL": "postgres://paycast@127.0.0.1:\(reserved.number)/postgres"]
        let nodes = try PostgresNodes(1, cluster: cluster, environments: [pooled])
        try nodes.wait(on: 0, for: "a pooler") { $0.pooled && $0.nodes.count == 1 }
        #expect(try nodes.doctor(environment: pooled).contains("answers through a pooler: PostgreSQL 15."))
        #expect(try !nodes.doctor().contains("pooler"))
        withExtendedLifetime(pooler) {}
    }

    /// One session that listens, and idles in a transaction, holds the queue of all: 8 GB, after which NOTIFY fails.
    @Test func aQueueThatFillsIsAWarning() throws {
        let nodes = try PostgresNodes(1)
        let listener = try nodes.cluster.session("LISTEN other; BEGIN; SELECT 1;")
        try nodes.cluster.psql(
            "SELECT count(pg_notify('other', i || repeat('x', 7900))) FROM generate_series(1, 22000) i"
        )
        try nodes.wait(on: 0, for: "a full queue") { $0.queuePercent >= 2 }
        let ready = try nodes.ready(on: 0)
        #expect(ready.ready && ready.warnings.contains { $0.contains("notification queue is 2 % full") })
        #expect(try nodes.doctor().contains("notification queue is 2 % full"))
        try nodes.broadcast("goes on.", through: 0)
        listener.send(.kill)
        // Whoever notifies next finds that nobody needs the queue's tail any more.
        try Deadline(.seconds(60)).wait(for: "an empty queue") {
            try nodes.broadcast("moves the tail.", through: 0)
            return try nodes.ready(on: 0).ledger?.queuePercent == 0
        }
        #expect(try nodes.ready(on: 0).warnings.isEmpty)
    }
}

extension PostgresNodes {
    func ready(on node: Int) throws -> Readiness {
        let body = try PostgresNodes.call("GET", to: nodes[node].url + "/ready").body
        return try #require(JSON.decode(Readiness.self, from: body))
    }

    /// Heartbeats come every three seconds.
    func wait(on node: Int, for what: String, until isSo: (SharedLedgerAnswer) -> Bool) throws {
        try Deadline(.seconds(60)).wait(for: what) { try ready(on: node).ledger.map(isSo) ?? false }
    }

    func doctor(environment: [String: String] = [:]) throws -> String {
        try nodes[0].doctor(environment: ["DATABASE_URL": cluster.url].merging(environment) { _, own in own })
    }
}
