import API
import APIModel
import Domain
import HTTPClient
import TestSupport
import Testing

/// A copy of a ledger whose backend is live: until it is released, it commits and shows what comes in, and tells nobody.
@Suite(.blocking) struct RestoredLedgerTests {
    private let backend = AnsweringServer { _ in .init(200) }
    private let staging = AnsweringServer { _ in .init(200) }

    private var environment: [String: String] {
        [
            "PAYCAST_HOOK_URLS": backend.url, "PAYCAST_HOOK_SECRETS": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
            "PAYCAST_FORWARD": staging.url, "PAYCAST_API_KEY": RestoredLedgerTests.key,
            "PAYCAST_STREAM_KEYS": "stream-key-of-the-tests-0123456789",
        ]
    }
    private static let key = "key-of-the-tests-0123456789abcdef"

    private func call(_ method: String, _ path: String, body: String = "", at server: PaycastServer) throws -> String {
        let headers = [("Authorization", "Bearer \(Self.key)"), ("Content-Type", "application/json")]
        let client = HTTPClient(timeout: .seconds(60))
        let answer = try client.send(method, to: server.url + path, headers: headers, body: Array(body.utf8))
        #expect((200..<300).contains(answer.status), "\(method) \(path)")
        return String(decoding: answer.body, as: UTF8.self)
    }

    private func grant(to user: String, at server: PaycastServer) throws {
        let body = #"{"product":"pro","days":30,"reason":"ticket 7"}"#
        _ = try call("POST", "/users/\(user)/grants", body: body, at: server)
    }

    private func users() -> [String] {
        backend.requests.compactMap { JSON.decode(HookMessage.self, from: Array($0.body.utf8))?.data.user?.text }
    }

    private func waitUntilTold(of user: String) throws {
        try Deadline(.seconds(60)).wait(for: "the backend") { users().contains(user) }
    }

    private func ready(_ server: PaycastServer) throws -> Readiness {
        try #require(JSON.decode(Readiness.self, from: Array(try call("GET", "/ready", at: server).utf8)))
    }

    /// Both are looked at once a second: when the other destination and a message of the original have been waited for twice,
    /// nothing was sent.
    private func expectHeld(_ server: PaycastServer, beside original: PaycastServer?) throws {
        let line = try server.process.errorLine { $0.contains("outgoing held") }
        #expect(line.contains("run “paycast release”"))
        #expect(server.process.errors.ranges(of: "outgoing held").count == 1)
        let told = try ready(server)
        #expect(told.ready && told.warnings.count { $0.contains("nothing goes out") } == 1, "\(told)")
        let page = try EventStreamClient(port: server.port, path: "/streams?name=\(try name(of: "copied", at: server))")
        try grant(to: "copied", at: server)
        #expect(try page.message().data?.isEmpty == false)
        let trigger = server.paycast("trigger", "apple", "SUBSCRIBED/INITIAL_BUY")
        #expect(try trigger.waitForExit() == 0, "\(trigger.errors)")
        try Deadline(.seconds(60)).wait(for: "what waits") {
            let metrics = try call("GET", "/metrics", at: server)
            return metrics.contains("\npaycast_hooks_waiting 1\n") && metrics.contains("\npaycast_jobs_waiting 1\n")
                && metrics.contains("\npaycast_outgoing_held 1\n")
        }
        // Nobody blames the backend, whatever the original knows of it.
        let address = try #require(
            JSON.decode(HooksAnswer.self, from: Array(try call("GET", "/hooks", at: server).utf8))?.hooks.first
        )
        #expect(address.state == "held" && address.failures == 0 && address.waiting == 1, "\(address)")
        let hooks = server.paycast("hooks", "--key", Self.key)
        #expect(try hooks.waitForExit() == 1 && hooks.output.contains("until “paycast release”"), "\(hooks.output)")
        let doctor = try server.doctor(key: Self.key, environment: environment)
        let finding = doctor.split(separator: "\n").first { $0.contains("  hook  ") }
        #expect(finding?.hasPrefix("warn") == true && finding?.contains("is held") == true, "\(doctor)")
        if let original {
            for user in ["one", "two"] {
                try grant(to: user, at: original)
                try waitUntilTold(of: user)
            }
        }
        #expect(!users().contains("copied") && staging.requests.isEmpty)
    }

    private func name(of user: String, at server: PaycastServer) throws -> String {
        let answer = try call("GET", "/users/\(user)/stream", at: server)
        return try #require(
            answer.split(separator: "\"signed_stream\":\"").last?.split(separator: "\"").first.map(String.init)
        )
    }

    private func expectSent(by server: PaycastServer) throws {
        _ = try server.process.errorLine { $0.contains("outgoing released") }
        try waitUntilTold(of: "copied")
        // At least once: an answer that comes late, on a busy machine, has it sent again.
        try Deadline(.seconds(60)).wait(for: "the forward") { !staging.requests.isEmpty }
        #expect(try ready(server).warnings.allSatisfy { !$0.contains("nothing goes out") })
    }

    private func release(_ server: PaycastServer, database: String? = nil) throws {
        let command = server.paycast(["release"] + (database.map { ["--database", $0] } ?? []))
        #expect(try command.waitForExit() == 0, "\(command.errors)")
        #expect(command.output.contains("the ledger is released"))
    }

    /// The rehearsal that the checklist asks for, on this machine: another folder, the settings of production.
    @Test func aRehearsalTellsNobody() throws {
        let production = try PaycastServer(environment: environment)
        try grant(to: "before", at: production)
        try waitUntilTold(of: "before")
        #expect(!production.process.errors.contains("outgoing held"))
        #expect(try production.paycast("backup", "copy.db").waitForExit() == 0)
        let rehearsal = try PaycastServer(environment: environment)
        try rehearsal.stop(with: .terminate)
        let restore = rehearsal.paycast("restore", production.folder.path + "/copy.db")
        #expect(try restore.waitForExit() == 0 && restore.output.contains("held until: paycast release"))
        try rehearsal.start()
        try expectHeld(rehearsal, beside: production)
        // A restart releases nothing.
        try rehearsal.restart(with: .terminate)
        _ = try rehearsal.process.errorLine { $0.contains("outgoing held") }
        try release(rehearsal)
        try expectSent(by: rehearsal)
        // The home is remembered, and so is the original's.
        for server in [rehearsal, production] {
            try server.restart(with: .terminate)
            #expect(try ready(server).warnings.allSatisfy { !$0.contains("nothing goes out") })
        }
    }

    /// A ledger in another place than its own: what a restore has set aside, a copy made with `cp`, a file that was moved.
    @Test func aLedgerInAnotherPlaceTellsNobody() throws {
        let server = try PaycastServer(environment: environment)
        try server.stop(with: .terminate)
        let copy = RunningProcess(
            "/bin/cp",
            arguments: ["paycast.db", "paycast.db.before-restore"],
            folder: server.folder.path
        )
        #expect(try copy.waitForExit() == 0)
        try server.start(database: "sqlite:paycast.db.before-restore")
        try expectHeld(server, beside: nil)
        // Released while nobody runs.
        try server.stop(with: .terminate)
        try release(server, database: "sqlite:paycast.db.before-restore")
        try server.start(database: "sqlite:paycast.db.before-restore")
        try waitUntilTold(of: "copied")
        // At least once: an answer that comes late, on a busy machine, has it sent again.
        try Deadline(.seconds(60)).wait(for: "the forward") { !staging.requests.isEmpty }
        #expect(!server.process.errors.contains("outgoing held"))
    }

    /// Both go on from the same position: a receiver that knows a message by its id takes the other one's for sent before.
    @Test func aCopyRepeatsNoIdsOfTheOriginal() throws {
        let original = try PaycastServer(environment: environment)
        try grant(to: "before", at: original)
        try waitUntilTold(of: "before")
        try original.stop(with: .terminate)
        let copy = RunningProcess("/bin/cp", arguments: ["paycast.db", "copy.db"], folder: original.folder.path)
        #expect(try copy.waitForExit() == 0)
        for (database, user) in [("sqlite:paycast.db", "first"), ("sqlite:copy.db", "second")] {
            try original.start(database: database)
            if user == "second" { try release(original, database: database) }
            try grant(to: user, at: original)
            try waitUntilTold(of: user)
            try original.stop(with: .terminate)
        }
        let ids = backend.requests.compactMap { $0.header("webhook-id") }
        #expect(ids.count == 3 && Set(ids).count == 3, "\(ids)")
        let positions = ids.map { $0.split(separator: "_").dropFirst().prefix(3).joined(separator: "_") }
        #expect(positions[1] == positions[2], "the test is about the same position: \(ids)")
    }

    /// For a machine that has another id at each deployment.
    @Test func aSettingSaysThatItIsAtHome() throws {
        let server = try PaycastServer(environment: environment.merging(["PAYCAST_HOME": "here"]) { $1 })
        #expect(try server.paycast("backup", "copy.db").waitForExit() == 0)
        try server.stop(with: .terminate)
        #expect(try server.paycast("restore", "copy.db").waitForExit() == 0)
        try server.start()
        try grant(to: "42", at: server)
        try waitUntilTold(of: "42")
        #expect(!server.process.errors.contains("outgoing held"))
    }

    @Test(.enabled(if: PostgresCluster.isInstalled)) func aRestoredDumpTellsNobody() throws {
        let cluster = try PostgresCluster()
        let home = environment.merging(["DATABASE_URL": cluster.url]) { $1 }
        let production = try PaycastServer(environment: home)
        try grant(to: "before", at: production)
        try waitUntilTold(of: "before")
        try cluster.psql("CREATE DATABASE rehearsal")
        try cluster.restore(try cluster.dump(schema: "paycast"), to: "rehearsal")
        let url = "postgres://paycast@\(cluster.place)/rehearsal"
        let rehearsal = try PaycastServer(environment: environment.merging(["DATABASE_URL": url]) { $1 })
        try expectHeld(rehearsal, beside: production)
        try release(rehearsal, database: url)
        try expectSent(by: rehearsal)
        try production.restart(with: .terminate)
        #expect(!production.process.errors.contains("outgoing held"))
    }

    /// A copy of the whole cluster is known by its address; a node that comes by another way beside a living one, is at home.
    @Test(.enabled(if: PostgresCluster.isInstalled)) func aCopiedClusterTellsNobody() throws {
        let pair = try PostgresPair()
        let home = environment.merging(["DATABASE_URL": pair.primary.url]) { $1 }
        let production = try PaycastServer(environment: home)
        let beside = try PaycastServer(environment: home.merging(["DATABASE_URL": pair.primary.socketURL]) { $1 })
        // It may have come before the first one's heartbeat.
        try Deadline(.seconds(60)).wait(for: "the other way") {
            try ready(beside).warnings.allSatisfy { !$0.contains("nothing goes out") }
        }
        try beside.stop(with: .terminate)
        try production.stop(with: .terminate)
        try pair.waitForReplay()
        try pair.standby.promote()
        let url = pair.standby.url
        let rehearsal = try PaycastServer(environment: environment.merging(["DATABASE_URL": url]) { $1 })
        _ = try rehearsal.process.errorLine { $0.contains("outgoing held") }
        // Who has both addresses in its settings, follows a promotion.
        try rehearsal.stop(with: .terminate)
        try pair.primary.kill()
        try rehearsal.start(database: pair.url)
        #expect(!rehearsal.process.errors.contains("outgoing held"))
    }
}
