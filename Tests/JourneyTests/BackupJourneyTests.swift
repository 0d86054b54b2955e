import Encoding
import TestSupport
import Testing

/// A ledger is copied while it is written, and put back under a new epoch.
@Suite(.blocking) struct BackupJourneyTests {
    private func broadcast(_ text: String, on server: PaycastServer) throws {
        let words = ["publish", "--user", "42", "--action", "update", "--target", "notice", "--html", text]
        #expect(try server.paycast(words).waitForExit() == 0)
    }

    /// The cursor of the newest entry.
    private func head(of server: PaycastServer) throws -> String {
        let tail = server.paycast("tail", "--since", "start", "--json", "--until", "kind=broadcast")
        #expect(try tail.waitForExit() == 0, "\(tail.errors)")
        let json = try #require(tail.output.split(separator: "\n").last)
        return try #require(JSONNode(String(json))?["cursor"]?.text)
    }

    @Test func backupOfARunningServerIsRestored() throws {
        let server = try PaycastServer()
        try broadcast("first", on: server)
        let cursor = try head(of: server)
        for _ in 1...2 {
            let backup = server.paycast("backup", "copy.db")
            #expect(try backup.waitForExit() == 0, "\(backup.errors)")
            #expect(
                backup.output.contains("copy.db: ") && backup.output.contains("up to \(cursor), read back and intact")
            )
        }
        #expect(server.folder.names.filter { $0.hasPrefix("copy.db") } == ["copy.db"])
        try broadcast("second", on: server)
        let early = server.paycast("restore", "copy.db")
        #expect(try early.waitForExit() == 1)
        #expect(early.errors.contains("is in use by process \(server.process.number)"), "\(early.errors)")

        try server.stop(with: .terminate)
        let restore = server.paycast("restore", "copy.db")
        #expect(try restore.waitForExit() == 0, "\(restore.errors)")
        #expect(restore.output.contains("with the new epoch") && restore.output.contains("paycast.db.before-restore"))
        try server.start()
        let tail = server.paycast("tail", "--since", cursor, "--json", "--limit", "1", "--timeout", "60")
        let notice = try tail.errorLine { $0.contains("may have been restored") }
        let epoch = cursor.prefix { $0 != "-" }
        #expect(notice.contains("the cursor \(cursor) is not one of this ledger") && !notice.contains("after \(epoch)"))
        try broadcast("third", on: server)
        #expect(try tail.waitForExit() == 0, "\(tail.errors)")
        let all = server.paycast("tail", "--since", "start", "--json", "--limit", "2")
        #expect(try all.waitForExit() == 0)
        #expect(!all.output.contains(epoch), "the entries are there, under new cursors")
    }

    /// A consumer ahead of the ledger, as after a ledger was put back by hand.
    @Test func cursorFromTheFutureIsReset() throws {
        let server = try PaycastServer()
        try broadcast("first", on: server)
        let cursor = try head(of: server)
        let ahead = cursor.prefix { $0 != "-" } + "-1000"
        let tail = server.paycast("tail", "--since", String(ahead), "--json", "--limit", "1", "--timeout", "60")
        _ = try tail.errorLine { $0.contains("continuing after \(cursor)") }
        try broadcast("second", on: server)
        #expect(try tail.waitForExit() == 0, "\(tail.errors)")
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var words: [String]
        var error: String
        var code: Int32 = 1

        var testDescription: String { words.joined(separator: " ") }
    }

    @Test(arguments: [
        Refusal(words: ["backup", "paycast.db"], error: "paycast.db is the ledger itself"),
        Refusal(words: ["backup", "notes.txt"], error: "exists and is not a backup of a ledger"),
        Refusal(words: ["backup", "nowhere/copy.db"], error: "there is no folder nowhere/"),
        Refusal(words: ["backup", "copy.db", "--database", "sqlite:none.db"], error: "there is no ledger at none.db"),
        Refusal(words: ["restore", "notes.txt"], error: "notes.txt cannot be copied: it is damaged, or not a ledger"),
        Refusal(words: ["restore", "none.db"], error: "there is no ledger at none.db"),
        Refusal(words: ["restore", "paycast.db"], error: "paycast.db is the ledger itself"),
        Refusal(words: ["restore", "other.db"], error: "other.db cannot be used, nothing was changed"),
        Refusal(words: ["backup"], error: "where to?", code: 64),
        Refusal(
            words: ["restore", "copy.db", "--database", "mysql:x"],
            error: "--database is neither sqlite:PATH",
            code: 64
        ),
    ]) func nothingElseIsReplacedOrBelieved(_ given: Refusal) throws {
        let server = try PaycastServer()
        try server.stop(with: .terminate)
        server.folder.write("my notes\n", to: "notes.txt")
        let other = RunningProcess(
            "python3",
            arguments: ["-c", "import sqlite3; sqlite3.connect('other.db').execute('CREATE TABLE a(b)')"],
            folder: server.folder.path
        )
        try other.waitForExit()
        let process = server.paycast(given.words)
        #expect(try process.waitForExit() == given.code)
        #expect(process.errors.contains(given.error), "\(process.errors)")
        #expect(server.folder.read("notes.txt") == "my notes\n")
        #expect(!server.folder.names.contains { $0.hasSuffix(".part") }, "\(server.folder.names)")
        try server.start()
    }
}
