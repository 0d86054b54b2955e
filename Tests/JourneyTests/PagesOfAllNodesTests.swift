import API
import Crypto
import Encoding
import TestSupport
import Testing

/// What is no message in the log, and yet meant for the pages of all nodes.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct PagesOfAllNodesTests {
    /// Small ones, and one that takes many notifications. What was committed before comes before.
    @Test func transientBroadcastsReachThem() throws {
        let nodes = try PostgresNodes()
        let pages = try [0, 1].map { try nodes.page(on: $0) }
        try awaitNotifications(nodes, page: pages[1])
        for round in 0..<20 {
            let kept = #"{"user":"42","action":"update","target":"card","html":"kept \#(round)."}"#
            let html = "passing \(round)." + String(repeating: "&lt;é&gt;", count: round == 10 ? 15_000 : 1)
            let passing = #"{"user":"42","action":"update","target":"card","html":"\#(html)","transient":true}"#
            let answer = try nodes.ask("POST", "/broadcasts", body: "[\(passing),\(kept)]", on: round % 2)
            #expect(answer.hasSuffix("-\(round + 1)\"]}") && answer.hasPrefix(#"{"cursors":[null,"#))
        }
        for page in pages {
            var seen: [String] = []
            while Set(seen).count < 40 {
                let block = try page.message()
                let data = block.data ?? ""
                if data.contains("probe.") { continue }
                let words = try #require(data.firstMatch(of: /(kept|passing) \d+\./))
                #expect((block.id == nil) == words.1.starts(with: "passing"), "\(block)")
                seen.append(String(words.0))
            }
            for round in 0..<20 {
                let kept = try #require(seen.firstIndex(of: "kept \(round)."))
                let passing = try #require(seen.firstIndex(of: "passing \(round)."))
                #expect(kept < passing)
                #expect(seen.count { $0 == "passing \(round)." } == 1)
            }
        }
    }

    /// Whoever may use the database may notify anything.
    @Test func garbageDisturbsNobody() throws {
        let nodes = try PostgresNodes()
        let page = try nodes.page(on: 1)
        try awaitNotifications(nodes, page: page)
        let epoch = try nodes.cluster.psql("SELECT epoch FROM paycast.head")
        for payload in ["", "\(epoch):x", "\(epoch):1:1:0:1:!!", "\(epoch):1:1:0:1:e30=", "\(epoch):1:1:0:99999:eA=="] {
            try nodes.cluster.psql(
                "SELECT pg_notify('paycast_messages', '\(payload)'), pg_notify('paycast', '\(payload)')"
            )
        }
        try nodes.broadcast("after.", through: 0)
        try page.cursors(until: "after.")
    }

    /// What has the form of a node's message, from a login that may connect and knows the epoch. What is authenticated shows
    /// that the form is right, and it is taken once.
    @Test func forgedMessagesReachNoPage() throws {
        let nodes = try PostgresNodes()
        let page = try nodes.page(on: 1)
        try awaitNotifications(nodes, page: page)
        let epoch = try nodes.cluster.psql("SELECT epoch FROM paycast.head")
        let ledgerKey = try nodes.cluster.psql("SELECT value FROM paycast.meta WHERE key = 'erasure_key'")
        try nodes.cluster.psql("CREATE ROLE reporting LOGIN")
        let derived = HMACKey(Array(ledgerKey.utf8)).authenticate(Array("paycast node messages".utf8)[...])
        func notify(_ text: String, number: Int64, code: ([UInt8]) -> [UInt8]) throws {
            let start = "\(epoch):0:\(1 << 32 | number):"
            let body = Array(#"{"stream":"user:42:paywall","parts":[{"html":"\#(text)"}]}"#.utf8)
            let payload = start + "0:1:" + Base64.encode(code(Array(start.utf8) + body) + body)
            try nodes.cluster.psql("SET ROLE reporting; SELECT pg_notify('paycast_messages', '\(payload)')")
        }
        try notify("forged 1.", number: 1) { _ in [] }
        try notify("forged 2.", number: 2) { _ in [UInt8](repeating: 0, count: 32) }
        try notify("forged 3.", number: 3) { HMACKey(Array(ledgerKey.utf8)).authenticate($0[...]) }
        for (text, number) in [("told.", 4), ("told.", 4), ("late.", 3), ("last.", 5)] as [(String, Int64)] {
            try notify(text, number: number) { HMACKey(derived).authenticate($0[...]) }
        }
        var seen: [String] = []
        while seen.last != "last." {
            let data = try page.message().data ?? ""
            if let word = data.firstMatch(of: /forged \d\.|told\.|late\.|last\./) { seen.append(String(word.0)) }
        }
        #expect(seen == ["told.", "last."])
    }

    /// The pages of an erased user reload on every node, and no node shows from its memory what was erased.
    @Test func anErasedUserIsForgottenEverywhere() throws {
        let nodes = try PostgresNodes()
        let pages = try [0, 1].map { try nodes.page(on: $0) }
        let cursor = try nodes.broadcast("first.", through: 0)
        try nodes.broadcast("secret.", through: 1)
        for page in pages { try page.cursors(until: "secret.") }
        let other = try EventStreamClient(port: nodes[1].port, path: "/streams?name=\(try stream(of: "43", nodes))")
        try nodes.ask("DELETE", "/users/42", on: 0)
        for page in pages {
            let next = try page.message()
            #expect(next.data?.contains(#"action="refresh""#) == true, "\(next)")
        }
        for node in [0, 1] {
            let late = try nodes.page(on: node, since: cursor).message()
            #expect(late.data?.contains(#"action="refresh""#) == true, "\(late)")
            #expect(late.data?.contains("secret") == false)
        }
        // Others do not reload.
        try nodes.ask(
            "POST",
            "/broadcasts",
            body: #"{"user":"43","action":"update","target":"card","html":"calm."}"#,
            on: 0
        )
        let calm = try other.message()
        #expect(calm.data?.contains("calm.") == true, "\(calm)")
    }

    /// What a page missed comes in the language of now, on every node, although nothing new was committed.
    @Test func aNewLanguageIsKnownEverywhere() throws {
        let folder = TemporaryFolder()
        folder.write(#"<p id="news">News</p>"#, to: "public/fragments/news.html")
        folder.write(#"<p id="news">Neues</p>"#, to: "public/fragments/news.de.html")
        let nodes = try PostgresNodes(publicFolder: folder.path("public"))
        let page = try nodes.page(on: 1)
        try awaitNotifications(nodes, page: page)
        let cursor = try nodes.broadcast("first.", through: 0)
        let news = #"{"user":"42","action":"replace","target":"news","template":"news"}"#
        try nodes.ask("POST", "/broadcasts", body: news, on: 0)
        try page.cursors(until: "News")
        #expect(try nodes.page(on: 1, since: cursor).message().data?.contains("News") == true)
        try nodes.ask("GET", "/users/42/stream?locale=de", on: 0)
        try Deadline(.seconds(60)).wait(for: "the new language") {
            try nodes.page(on: 1, since: cursor).message().data?.contains("Neues") == true
        }
    }

    /// The connection that follows the log hangs: the node's own commits are shown at once. When somebody else was first,
    /// they wait for a new connection.
    @Test func aHangingLogDelaysNoOwnCommit() throws {
        let cluster = try PostgresCluster()
        let proxy = StallingProxy(toPort: cluster.port)
        let nodes = try PostgresNodes(cluster: cluster, ports: [proxy.port])
        let page = try nodes.page(on: 0)
        try nodes.broadcast("before.", through: 0)
        try page.cursors(until: "before.")
        proxy.stall("paycast log")
        proxy.waitUntilStalled()
        // No connection of the log passes anything before `restore`, so what shows now has not waited for one.
        for round in 0..<10 { try nodes.broadcast("own \(round).", through: 0) }
        try page.cursors(until: "own 9.")
        proxy.restore()
        try nodes.broadcast("other's.", through: 1)
        try nodes.broadcast("last.", through: 0)
        let positions = try page.cursors(until: "last.").compactMap { $0.split(separator: "-").last }
        #expect(positions == ["12", "13"])
    }

    /// Behind a pooler that delivers no notifications, commits show within a second, and `/ready` warns of what is missing.
    @Test(.enabled(if: PostgresCluster.isPoolerInstalled)) func withoutNotificationsReadinessSaysSo() throws {
        let cluster = try PostgresCluster()
        let reserved = ReservedPort()
        let pooler = try cluster.pooler(port: reserved.number)
        let nodes = try PostgresNodes(cluster: cluster, ports: [cluster.port, reserved.number])
        try nodes.waitForDeafness(of: 1)
        let page = try nodes.page(on: 1)
        let passing = #"{"user":"42","action":"update","target":"card","html":"passing.","transient":true}"#
        try nodes.ask("POST", "/broadcasts", body: passing, on: 0)
        try nodes.broadcast("kept.", through: 0)
        let next = try page.message()
        #expect(next.data?.contains("kept.") == true, "\(next)")
        // What the alarm PaycastListenerLost looks at.
        for (node, value) in [(0, 0), (1, 1)] {
            let metrics = try nodes.ask("GET", "/metrics", on: node)
            #expect(metrics.contains("\npaycast_ledger_trouble{part=\"notifications\"} \(value)\n"), "\(metrics)")
        }
        pooler.send(.kill)
    }

    /// Behind such a pooler, a direct connection for notifications mends it, as the warning says: nothing is missing.
    @Test(.enabled(if: PostgresCluster.isPoolerInstalled)) func aDirectConnectionHearsBehindAPooler() throws {
        let cluster = try PostgresCluster()
        let reserved = ReservedPort()
        let pooler = try cluster.pooler(port: reserved.number)
        let listens = ["PAYCAST_LISTEN_URL": cluster.url]
        let nodes = try PostgresNodes(
            cluster: cluster,
            ports: [reserved.number, reserved.number],
            environments: [listens, listens]
        )
        let page = try nodes.page(on: 1)
        try awaitNotifications(nodes, page: page)
        try nodes.broadcast("kept.", through: 0)
        try page.cursors(until: "kept.")
        let ready = try nodes.ready(on: 1)
        #expect(ready.ready && ready.warnings.isEmpty && ready.ledger?.pooled == true, "\(ready.warnings)")
        pooler.send(.kill)
    }

    /// The pool is the app's, too: no session that listens stays in it.
    @Test(.enabled(if: PostgresCluster.isPoolerInstalled)) func noSessionOfThePoolListens() throws {
        let cluster = try PostgresCluster()
        let reserved = ReservedPort()
        let pooler = try cluster.pooler(port: reserved.number, settings: ["default_pool_size = 1"])
        let nodes = try PostgresNodes(1, cluster: cluster, ports: [reserved.number])
        try nodes.waitForDeafness(of: 0)
        let channels = try cluster.psql("SELECT count(*) FROM pg_listening_channels()", port: reserved.number)
        #expect(channels == "0")
        pooler.send(.kill)
    }

    /// Its notifications are those of another database: the log is read all the same, once a second.
    @Test func pollingAloneShowsCommits() throws {
        let cluster = try PostgresCluster()
        try cluster.psql("CREATE DATABASE other")
        let elsewhere = ["PAYCAST_LISTEN_URL": cluster.url.replacing("/postgres", with: "/other")]
        let nodes = try PostgresNodes(cluster: cluster, environments: [[:], elsewhere])
        try nodes.waitForDeafness(of: 1)
        let page = try nodes.page(on: 1)
        for round in 0..<3 {
            try nodes.broadcast("polled \(round).", through: 0)
            try page.cursors(until: "polled \(round).")
        }
        #expect(try nodes.ready(on: 1).ready)
    }

    @Test func readinessRecovers() throws {
        let outage = "PostgreSQL does not answer"
        let nodes = try PostgresNodes(1)
        try nodes.cluster.kill()
        try Deadline(.seconds(60)).wait(for: "the trouble") { try nodes.problems(of: 0).contains(outage) }
        try nodes.cluster.start()
        let listening = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%messages%' AND state = 'idle'"
        try Deadline(.seconds(60)).wait(for: "the listener") { try nodes.cluster.psql(listening) == "1" }
        try Deadline(.seconds(60)).wait(for: "its end") { try !nodes.problems(of: 0).contains(outage) }
    }

    private func stream(of user: String, _ nodes: PostgresNodes) throws -> String {
        let answer = try nodes.ask("GET", "/users/\(user)/stream", on: 0)
        return try String(#require(answer.firstMatch(of: /"signed_stream":"([^"]+)"/)).1)
    }

    /// Until each node listens, what it is told is lost.
    private func awaitNotifications(_ nodes: PostgresNodes, page: EventStreamClient) throws {
        let listening = """
            SELECT count(*) FROM pg_stat_activity
            WHERE application_name = 'paycast listener' AND query LIKE 'LISTEN%messages%' AND state = 'idle'
            """
        try Deadline(.seconds(60)).wait(for: "the listeners") { try nodes.cluster.psql(listening) == "2" }
        let probe = #"{"user":"42","action":"update","target":"card","html":"probe.","transient":true}"#
        try nodes.ask("POST", "/broadcasts", body: probe, on: 0)
        try page.cursors(until: "probe.")
    }
}

extension PostgresNodes {
    /// Waits until the node warns that it hears nothing, and works all the same.
    fileprivate func waitForDeafness(of node: Int) throws {
        try Deadline(.seconds(30)).wait(for: "the warning") {
            let ready = try ready(on: node)
            return ready.ready
                && ready.warnings.contains { warning in
                    warning.contains("transient broadcasts not at all: no notification comes through")
                        && warning.contains("PAYCAST_LISTEN_URL")
                }
        }
    }
}
