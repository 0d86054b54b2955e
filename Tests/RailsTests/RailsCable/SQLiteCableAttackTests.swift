import Glibc
import Rails
import TestSupport
import Testing

/// Attacks on the file while it is read.
@Suite(.blocking) struct SQLiteCableAttackTests {
    private let folder = TemporaryFolder()
    private let inbox = BroadcastInbox()
    private var file: String { folder.path + "/cable.sqlite3" }
    private var url: String { "sqlite:" + file }

    private func app(_ mode: String = "WAL", _ sql: String = CableSQL.sqlite) throws -> CableApp {
        let app = try CableApp(file, in: folder)
        try app.run("PRAGMA journal_mode = \(mode);" + sql)
        return app
    }

    private func broadcast(_ text: String, at created: String = "2026-01-01 00:00:00") -> String {
        CableSQL.sqliteRow("s", CableSQL.update(text), at: created)
    }

    /// A process that broadcasts and ends takes its journal with it; Paycast creates none.
    @Test func nothingIsCreatedBesideAFileThatNobodyHasOpen() throws {
        try app().quit()
        let listener = try inbox.listener(url)
        #expect(inbox.isReady(listener))
        #expect(folder.names.filter { $0.hasPrefix("cable") } == ["cable.sqlite3"])
        let visitor = try CableApp(file, in: folder)
        try visitor.run(broadcast("1"))
        visitor.quit()
        #expect(inbox.hears(["1"]))
        let next = try CableApp(file, in: folder)
        try next.run(broadcast("2"))
        #expect(inbox.hears(["1", "2"]))
        listener.close()
        #expect((inbox.now.starts, inbox.now.heals) == (1, 0))
    }

    @Test(arguments: ["WAL", "DELETE"]) func lockedFileIsReadWhenItIsFree(_ mode: String) throws {
        let app = try app(mode)
        let listener = try inbox.listener(url, timing: .quick(patience: .milliseconds(300)))
        #expect(inbox.isReady(listener))
        try app.run("BEGIN EXCLUSIVE;" + broadcast("1"))
        if mode == "DELETE" {
            #expect(inbox.wait { _ in listener.problems.contains { $0.contains("locked") } })
        }
        try app.run("COMMIT;" + broadcast("2"))
        #expect(inbox.hears(["1", "2"]))
        #expect(inbox.isReady(listener))
        listener.close()
        #expect(inbox.now.heals == 0)
    }

    /// The app's writer is not stopped by somebody who reads all the time.
    @Test(arguments: ["WAL", "DELETE"]) func writerIsNotLockedOut(_ mode: String) throws {
        let app = try app(mode)
        let listener = try inbox.listener(url, timing: .quick())
        #expect(inbox.isReady(listener))
        let texts = (0..<300).map { "\($0)" }
        for text in texts { try app.run(broadcast(text)) }
        if mode == "WAL" { try app.run("PRAGMA wal_checkpoint(TRUNCATE);" + broadcast("300")) }
        #expect(inbox.hears(texts + (mode == "WAL" ? ["300"] : [])))
        listener.close()
    }

    @Test func replacedFileIsHealedOnce() throws {
        let old = try app()
        try old.run(broadcast("1"))
        let listener = try inbox.listener(url)
        #expect(inbox.isReady(listener))
        let other = folder.path + "/other.sqlite3"
        let new = try CableApp(other, in: folder)
        try new.run(CableSQL.sqlite + broadcast("2", at: "2026-02-02 00:00:00") + broadcast("3"))
        new.quit()
        old.quit()
        for name in ["cable.sqlite3-wal", "cable.sqlite3-shm"] { folder.remove(name) }
        try #require(rename(other, file) == 0)
        #expect(inbox.wait { $0.heals == 1 })
        let app = try CableApp(file, in: folder)
        try app.run(broadcast("4"))
        #expect(inbox.hears(["4"]))
        listener.close()
        #expect(inbox.now.heals == 1)
        #expect(inbox.metric("paycast_rails_cable_gaps_total") == 1)
    }

    @Test func trimmedTableGoesOnWithoutAGap() throws {
        let app = try app()
        try app.run(broadcast("before"))
        let listener = try inbox.listener(url)
        #expect(inbox.isReady(listener))
        try app.run(broadcast("1"))
        #expect(inbox.hears(["1"]))
        try app.run("DELETE FROM solid_cable_messages;" + broadcast("2"))
        #expect(inbox.hears(["1", "2"]))
        listener.close()
        #expect(inbox.now.heals == 0)
    }

    /// Without AUTOINCREMENT, the ids of a table that was emptied begin anew.
    @Test func reusedIdsAreAGap() throws {
        let sql = CableSQL.sqlite.split(separator: " AUTOINCREMENT").joined()
        let app = try app("WAL", sql)
        try app.run(broadcast("1") + broadcast("2"))
        let listener = try inbox.listener(url)
        #expect(inbox.isReady(listener))
        let newer = ["3", "4", "5"].map { broadcast($0, at: "2026-02-02 00:00:00") }.joined()
        try app.run("BEGIN; DELETE FROM solid_cable_messages;" + newer + "COMMIT;")
        #expect(inbox.wait { $0.heals == 1 })
        try app.run(broadcast("6"))
        #expect(inbox.hears(["6"]))
        listener.close()
    }

    @Test func crashedAppIsReadAndGoesOn() throws {
        let app = try app()
        let listener = try inbox.listener(url)
        #expect(inbox.isReady(listener))
        try app.run(broadcast("1"))
        app.kill()
        #expect(inbox.hears(["1"]))
        let next = try CableApp(file, in: folder)
        try next.run(broadcast("2"))
        #expect(inbox.hears(["1", "2"]))
        listener.close()
    }

    @Test func fullLedgerKeepsTheOrderAndARefusalIsHealed() throws {
        let inbox = BroadcastInbox(refusals: [nil, .busy, nil, .committed, .refused])
        let app = try app()
        let listener = try inbox.listener(url)
        #expect(inbox.isReady(listener))
        try app.run("BEGIN;" + (0..<500).map { broadcast("\($0)") }.joined() + "COMMIT;")
        #expect(inbox.wait { $0.heals == 1 })
        let lost = try #require(inbox.metric("paycast_rails_cable_lost_total"))
        #expect(lost > 0 && inbox.wait { $0.texts.count == 500 - lost })
        listener.close()
        #expect(inbox.updates.compactMap(Int.init) == inbox.updates.compactMap(Int.init).sorted())
    }
}
