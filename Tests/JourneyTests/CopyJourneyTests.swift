import API
import APIModel
import Domain
import Encoding
import Support
import TestSupport
import Testing

/// A shop moves its ledger into PostgreSQL, and back into a file.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct CopyJourneyTests {
    private struct Shop {
        let journey: AppleJourney
        let stream: String
        let renewal: [UInt8]
        /// Of an erased user.
        let erin: OrderToken
        /// The last one that a page has seen, before “two” and “three”.
        let cursor: String
        let kept: UserExport

        var server: PaycastServer { journey.server }
    }

    private func open() throws -> Shop {
        let journey = try AppleJourney()
        let (kim, erin) = (try journey.order(for: "kim"), try journey.order(for: "erin"))
        let end = Clock().now() + .seconds(86_400)
        let first = try journey.say("SUBSCRIBED", of: kim.token, until: end)
        #expect(try journey.post(first).contains(#""outcome":"applied""#))
        _ = try journey.post(try journey.say("SUBSCRIBED", of: erin.token, until: end))
        let erase = journey.server.paycast("erase", "--user", "erin", "--reason", "request")
        #expect(try erase.waitForExit() == 0, "\(erase.errors)")
        let page = try EventStreamClient(port: journey.server.port, path: "/streams?name=\(kim.stream)")
        _ = try page.message()
        try publish("one", on: journey.server)
        let cursor = try page.cursor(of: "one")
        for text in ["two", "three"] { try publish(text, on: journey.server) }
        return Shop(
            journey: journey,
            stream: kim.stream,
            renewal: first,
            erin: erin.token,
            cursor: cursor,
            kept: try export("kim", from: journey.server)
        )
    }

    private func publish(_ text: String, on server: PaycastServer) throws {
        let words = ["publish", "--user", "kim", "--action", "append", "--target", "list", "--html", "<p>\(text)</p>"]
        let publish = server.paycast(words)
        #expect(try publish.waitForExit() == 0, "\(publish.errors)")
    }

    private func export(_ user: String, from server: PaycastServer) throws -> UserExport {
        let export = server.paycast("export", "--user", user, "--allow-unknown")
        #expect(try export.waitForExit() == 0, "\(export.errors)")
        return try #require(JSON.decode(UserExport.self, from: Array(export.output.utf8)))
    }

    private func copy(from: String, to: String, events: Int, in server: PaycastServer) throws {
        let copy = server.paycast("copy", "--from", from, "--to", to)
        #expect(try copy.waitForExit(timeout: .seconds(60)) == 0, "\(copy.errors)")
        #expect(copy.output.hasPrefix("copied and compared ") && copy.output.contains("set DATABASE_URL"))
        #expect(copy.errors.contains("events: \(events) rows equal, sha256 "), "\(copy.errors)")
    }

    /// What was there before is there, a page misses nothing and gets nothing twice, and stores are answered as before.
    private func check(_ shop: Shop, since cursor: String, missed: [String]) throws {
        let found = try export("kim", from: shop.server)
        var record = found.record
        #expect(record.since.prefix { $0 != "-" } == shop.kept.record.since.prefix { $0 != "-" })
        record.since = shop.kept.record.since
        #expect(record == shop.kept.record)
        #expect(found.events == shop.kept.events)
        #expect(try !export("erin", from: shop.server).record.active)
        #expect(try shop.journey.post(shop.renewal).contains(#""outcome":"duplicate""#))
        let page = try EventStreamClient(port: shop.server.port, path: "/streams?name=\(shop.stream)&since=\(cursor)")
        #expect(try page.texts(until: missed.last ?? "") == missed)
    }

    @Test func cursorsHoldThereAndBack() throws {
        let shop = try open()
        let cluster = try PostgresCluster()
        try shop.server.stop(with: .terminate)
        try copy(from: "sqlite:paycast.db", to: cluster.url, events: 2, in: shop.server)
        try shop.server.start(database: cluster.url)
        try check(shop, since: shop.cursor, missed: ["two", "three"])
        let late = try shop.journey.say("DID_RENEW", of: shop.erin, until: Clock().now() + .seconds(172_800))
        #expect(try shop.journey.post(late).contains(#""outcome":"ignored""#))
        let page = try EventStreamClient(
            port: shop.server.port,
            path: "/streams?name=\(shop.stream)&since=\(shop.cursor)"
        )
        let cursor = try page.cursor(of: "three")
        try publish("four", on: shop.server)
        try shop.server.stop(with: .terminate)

        try copy(from: cluster.url, to: "sqlite:back.db", events: 3, in: shop.server)
        try shop.server.start(database: "sqlite:back.db")
        try check(shop, since: shop.cursor, missed: ["two", "three", "four"])
        try check(shop, since: cursor, missed: ["four"])
        #expect(try shop.journey.post(late).contains(#""outcome":"duplicate""#))
        try publish("five", on: shop.server)
        try check(shop, since: cursor, missed: ["four", "five"])
    }

    /// `kill -9` in the middle: nothing starts on the half, and the same command starts over.
    @Test func killedAndBegunAgain() throws {
        let shop = try open()
        let cluster = try PostgresCluster()
        try shop.server.stop(with: .terminate)
        let rows = GeneratedCases.count(of: 60_000, oneOf: 4)
        try fill(shop.server.folder, rows: rows)
        for (from, to) in [("sqlite:paycast.db", cluster.url), (cluster.url, "sqlite:back.db")] {
            let copy = shop.server.paycast("copy", "--from", from, "--to", to)
            _ = try copy.errorLine(timeout: .seconds(60)) { $0.hasPrefix("entries: ") }
            copy.send(.kill)
            try copy.waitForExit()
            for words in [["serve", "--port", "0"], ["migrate"]] {
                let early = shop.server.paycast(words + ["--database", to])
                #expect(try early.waitForExit() == 1)
                #expect(early.errors.contains("run the same “paycast copy"), "\(words) \(early.errors)")
            }
            let environment = ["DATABASE_URL": to]
            let doctor = PaycastProgram.start(
                ["doctor"],
                environment: environment,
                folder: shop.server.folder.path
            )
            try doctor.waitForExit(timeout: .seconds(60))
            #expect(doctor.output.contains("run the same “paycast copy"), "\(doctor.output)")
            let again = shop.server.paycast("copy", "--from", from, "--to", to)
            #expect(try again.waitForExit(timeout: .seconds(120)) == 0, "\(again.errors)")
            #expect(again.errors.contains("events: \(rows + 2) rows equal"), "\(again.errors)")
        }
        try shop.server.start(database: "sqlite:back.db")
        try check(shop, since: shop.cursor, missed: ["two", "three"])
    }

    private func fill(_ folder: TemporaryFolder, rows: Int) throws {
        let sql = """
            CREATE TEMP TABLE numbers AS
                WITH RECURSIVE list(n) AS (SELECT 1001 UNION ALL SELECT n + 1 FROM list WHERE n < \(1000 + rows))
                SELECT n FROM list;
            INSERT INTO entries (position, committed_at, kind, provider, environment, event)
                SELECT n, n, 'x', 'apple', 'Sandbox', 'f' || n FROM numbers;
            INSERT INTO events SELECT n, 'apple', 'Sandbox', 'f' || n, 'com.example', n, n, randomblob(1000), NULL, NULL
                FROM numbers;
            """
        let script = "import sqlite3; sqlite3.connect('paycast.db').executescript('''\(sql)''')"
        let python = RunningProcess("python3", arguments: ["-c", script], folder: folder.path)
        #expect(try python.waitForExit() == 0, "\(python.errors)")
    }
}

extension EventStreamClient {
    /// The paragraphs of all messages up to the one with `last`, in their order.
    fileprivate func texts(until last: String) throws -> [String] {
        var texts: [String] = []
        while !texts.contains(last) {
            let data = try message().data ?? ""
            texts += data.split(separator: "<p>").dropFirst().map { part in String(part.prefix { $0 != "<" }) }
        }
        return texts
    }

    /// Reads on until a message holds the text.
    fileprivate func cursor(of text: String) throws -> String {
        while true {
            let message = try message()
            if message.data?.contains("<p>\(text)</p>") == true, let cursor = message.id { return cursor }
        }
    }
}
