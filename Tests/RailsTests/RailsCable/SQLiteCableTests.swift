import Glibc
import Rails
import TestSupport
import Testing

/// Against a real file that another process writes.
@Suite(.blocking) struct SQLiteCableTests {
    private let folder = TemporaryFolder()
    private let inbox = BroadcastInbox()
    private var file: String { folder.path + "/cable.sqlite3" }
    private var url: String { "sqlite:" + file }

    private static let journaled = "PRAGMA journal_mode = WAL;" + CableSQL.sqlite

    private func app(_ sql: String = journaled) throws -> CableApp {
        let app = try CableApp(file, in: folder)
        try app.run(sql)
        return app
    }

    private func broadcast(_ texts: String...) -> String {
        texts.map { CableSQL.sqliteRow("s", CableSQL.update($0)) }.joined()
    }

    @Test(arguments: [nil, "shop_production", "odd*[x]?"] as [String?])
    func takesTheStreamsOfItsPrefix(_ prefix: String?) throws {
        let app = try app()
        try app.run(broadcast("before the start"))
        let listener = try inbox.listener(url, prefix: prefix)
        #expect(inbox.isReady(listener))
        let head = prefix.map { $0 + ":" } ?? ""
        for stream in ["user:42:paywall", "Z2lkOi8vc2hvcC9Vc2VyLzE", "last"] {
            try app.run(CableSQL.sqliteRow(head + stream, CableSQL.update(stream)))
        }
        if prefix != nil { try app.run(CableSQL.sqliteRow("other:last", CableSQL.update("not ours"))) }
        #expect(inbox.hears(["user:42:paywall", "Z2lkOi8vc2hvcC9Vc2VyLzE", "last"]))
        listener.close()
        #expect((inbox.now.starts, inbox.now.heals) == (1, 0))
        #expect(inbox.metric("paycast_rails_cable_messages_total") == 3)
    }

    @Test func orderOfAThousandIsKept() throws {
        let app = try app()
        let listener = try inbox.listener(url)
        #expect(inbox.isReady(listener))
        let texts = (0..<1000).map { "\($0)" }
        try app.run("BEGIN;" + texts.map { broadcast($0) }.joined() + "COMMIT;")
        #expect(inbox.hears(texts))
        listener.close()
    }

    @Test func whatIsNotForPagesIsCountedAndNeverLogged() throws {
        let app = try app()
        let listener = try inbox.listener(url)
        #expect(inbox.isReady(listener))
        for payload in [#"{"s3cret":1}"#, "s3cret", ""] {
            try app.run(CableSQL.sqliteRow("s", payload))
        }
        for bytes in ["x'22ff22'", "x'2261002273'", "zeroblob(300)", "zeroblob(10000000)", "7", "1.5"] {
            try app.run(CableSQL.sqliteRow("s", bytes: bytes))
        }
        try app.run(CableSQL.sqliteRow("s", #""s3cret""#))
        try app.run(CableSQL.sqliteRow("a\nb", CableSQL.update("s3cret")))
        try app.run(CableSQL.sqliteRow(String(repeating: "s3cret", count: 100_000), CableSQL.update("s3cret")))
        try app.run(broadcast("last"))
        #expect(inbox.hears(["s none", "last"]), "what is too long reloads the pages of its stream")
        listener.close()
        for (reason, count) in ["json": 8, "size": 1, "markup": 1, "channel": 2] {
            #expect(inbox.metric("paycast_rails_cable_ignored_total{reason=\"\(reason)\"}") == count, "\(reason)")
        }
        #expect(!inbox.now.lines.joined().contains("s3cret"))
    }

    @Test func textsOfVersionTwoAreRead() throws {
        let app = try app(CableSQL.oldSQLite)
        let listener = try inbox.listener(url)
        #expect(inbox.isReady(listener))
        let columns = "(channel, payload, created_at, updated_at)"
        let payload = CableSQL.update("é").split(separator: "'").joined()
        try app.run("INSERT INTO solid_cable_messages \(columns) VALUES ('s', '\(payload)', '1', '1');")
        #expect(inbox.hears(["é"]))
        listener.close()
    }

    @Test func uncommittedRowsAreNotRead() throws {
        let (app, other) = (try app(), try CableApp(file, in: folder))
        let listener = try inbox.listener(url)
        #expect(inbox.isReady(listener))
        try app.run("BEGIN;" + broadcast("rolled back"))
        try app.run("ROLLBACK;")
        try other.run(broadcast("1"))
        #expect(inbox.hears(["1"]))
        listener.close()
    }

    @Test func fileAndTableThatComeLateAreFound() throws {
        let listener = try inbox.listener(url)
        #expect(inbox.wait { _ in listener.problems.contains { $0.contains("the file is not there") } })
        #expect(!folder.contains("cable.sqlite3"))
        let app = try app("PRAGMA journal_mode = WAL; CREATE TABLE other (id);")
        #expect(inbox.wait { _ in listener.problems.contains { $0.contains("no table solid_cable_messages") } })
        try app.run(CableSQL.sqlite)
        #expect(inbox.isReady(listener))
        try app.run(broadcast("1"))
        #expect(inbox.hears(["1"]))
        listener.close()
        #expect(inbox.metric("paycast_rails_cable_outages_total") == 1)
    }

    @Test(arguments: ["a folder", "garbage"]) func whatIsNoDatabaseIsTold(_ what: String) throws {
        if what == "garbage" {
            folder.write(String(repeating: "no database ", count: 1000), to: "cable.sqlite3")
        } else {
            try #require(mkdir(file, 0o700) == 0)
        }
        let listener = try inbox.listener(url)
        #expect(inbox.wait { _ in listener.problems.contains { $0.contains("SQLite cannot read it") } })
        listener.close()
    }
}
