import TestSupport
import Testing

/// What `paycast copy` does not do: one line each, and nothing is changed.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct CopyRefusalTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Python, run in the server's folder first; `db` is the ledger.
        var before = "pass"
        var from = "sqlite:paycast.db"
        var to = "sqlite:new.db"
        var error: String
        var code: Int32 = 1
    }

    @Test(arguments: [
        Refusal(testDescription: "unknown URL", from: "mysql:x", error: "--from is neither sqlite:PATH", code: 64),
        Refusal(testDescription: "no path", to: "sqlite:", error: "--to has no path", code: 64),
        Refusal(
            testDescription: "unreadable address",
            to: "postgres://a%zz@h/d",
            error: "--to its user or password is not percent-encoded"
        ),
        Refusal(testDescription: "no source", from: "sqlite:none.db", error: "there is no ledger at none.db"),
        Refusal(testDescription: "no ledger", from: "sqlite:notes.db", error: "notes.db is damaged, or not a ledger"),
        Refusal(
            testDescription: "older source",
            before: "db.execute('PRAGMA application_id = 0')",
            error: "paycast.db: the ledger cannot be used: it was made before the first release"
        ),
        Refusal(
            testDescription: "newer source",
            before: "db.execute('PRAGMA user_version = 99')",
            error: "paycast.db: the ledger has schema 99, this version knows"
        ),
        Refusal(testDescription: "itself", to: "sqlite:./paycast.db", error: "is the source and the target"),
        Refusal(
            testDescription: "older target",
            before: "sqlite3.connect('other.db', isolation_level=None).execute('PRAGMA application_id = 0')",
            to: "sqlite:other.db",
            error: "other.db: the ledger cannot be used: it was made before the first release"
        ),
        Refusal(testDescription: "occupied target", to: "sqlite:other.db", error: "other.db already holds a ledger"),
        Refusal(
            testDescription: "half of a source",
            before: "db.execute('CREATE TABLE copying (x)')",
            error: "paycast.db cannot be copied"
        ),
    ]) func saysWhy(_ given: Refusal) throws {
        let server = try PaycastServer()
        #expect(try server.paycast("order", "--user", "kim", "--product", "p").waitForExit() == 0)
        try server.stop(with: .terminate)
        server.folder.write("my notes, which are long enough to be no file of SQLite's\n", to: "notes.db")
        let script = """
            import shutil, sqlite3
            shutil.copy('paycast.db', 'other.db')
            db = sqlite3.connect('paycast.db', isolation_level=None)
            \(given.before)
            """
        #expect(
            try RunningProcess("python3", arguments: ["-c", script], folder: server.folder.path).waitForExit() == 0
        )
        let before = server.folder.names.filter { $0.hasSuffix(".db") }.sorted()
        let copy = server.paycast("copy", "--from", given.from, "--to", given.to)
        #expect(try copy.waitForExit() == given.code)
        #expect(copy.errors.contains(given.error), "\(copy.errors)")
        #expect(server.folder.names.filter { $0.hasSuffix(".db") }.sorted() == before)
    }

    /// Where no other user of the machine sees a password.
    @Test func urlsMayBeInTheEnvironment() throws {
        let folder = TemporaryFolder()
        let migrate = ["migrate", "--database", "sqlite:idle.db"]
        #expect(try PaycastProgram.start(migrate, folder: folder.path).waitForExit() == 0)
        for (from, code, words) in [("mysql:x", 64, "PAYCAST_COPY_FROM is neither"), ("sqlite:idle.db", 0, "copied")] {
            let environment = ["PAYCAST_COPY_FROM": from, "PAYCAST_COPY_TO": "sqlite:new.db"]
            let copy = PaycastProgram.start(["copy"], environment: environment, folder: folder.path)
            #expect(try copy.waitForExit() == Int32(code))
            #expect((copy.errors + copy.output).contains(words), "\(copy.errors)")
        }
        #expect(folder.names.contains("new.db"))
    }

    /// A file's lock tells, and so do the nodes of a database; a node that was killed is silent soon.
    @Test func servedLedgersAreLeftAlone() throws {
        let nodes = try PostgresNodes(1)
        let file = try PaycastServer()
        for (from, to) in [
            ("sqlite:paycast.db", "sqlite:new.db"), (nodes.cluster.url, "sqlite:new.db"),
            ("sqlite:idle.db", nodes.cluster.url), ("sqlite:idle.db", "sqlite:paycast.db"),
        ] {
            #expect(try file.paycast("migrate", "--database", "sqlite:idle.db").waitForExit() == 0)
            let copy = file.paycast("copy", "--from", from, "--to", to)
            #expect(try copy.waitForExit(timeout: .seconds(40)) == 1)
            #expect(copy.errors.contains("is in use by"), "\(copy.errors)")
        }
        try nodes.broadcast("before.", through: 0)
        try nodes[0].stop()
        let copy = file.paycast("copy", "--from", nodes.cluster.url, "--to", "sqlite:new.db")
        #expect(try copy.waitForExit(timeout: .seconds(40)) == 0, "\(copy.errors)")
        #expect(copy.errors.contains("is still alive"))
        let itself = file.paycast("copy", "--from", nodes.cluster.url, "--to", nodes.cluster.socketURL)
        #expect(try itself.waitForExit() == 1)
        #expect(itself.errors.contains("is the source and the target"), "\(itself.errors)")
    }
}
