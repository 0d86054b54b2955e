import API
import APIModel
import Simulator
import TestSupport
import Testing

/// The console while PostgreSQL is away: whoever is called in the night looks there first.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct ConsoleOutageTests {
    private static let (operations, support) = ("ops-key-0123456789abcdef", "support-key-0123456789")
    private static let lost = "PostgreSQL does not answer since 20"

    private func logIn(_ app: AppPost, _ key: String) throws -> String {
        let answer = try app.post(
            "/console/session",
            body: "key=\(key)",
            headers: [("Sec-Fetch-Site", "same-origin"), ("Content-Type", "application/x-www-form-urlencoded")]
        )
        let line = answer.head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("set-cookie: ") }
        return String(try #require(line, "\(answer.head)").dropFirst(12).prefix { $0 != ";" })
    }

    private func get(_ app: AppPost, _ path: String, _ cookie: String) throws -> AppPost.Answer {
        try app.post(path, body: "", headers: [("Cookie", cookie)], method: "GET")
    }

    @Test func everyPageSaysWhatIsWrong() throws {
        let cluster = try PostgresCluster()
        let app = try AppPost([
            "DATABASE_URL": cluster.url,
            "PAYCAST_KEYS": "ops:read+operate:\(Self.operations),support:read:\(Self.support)",
        ])
        let before = try logIn(app, Self.operations)
        try Deadline(.seconds(60)).wait(for: "the first heartbeat") {
            try get(app, "/console/nodes", before).body.contains("With a heartbeat in the last minute")
        }
        #expect(try get(app, "/console/attention", before).body.contains("All is well"))
        try cluster.stop()
        try Deadline(.seconds(60)).wait(for: "what /ready says") {
            let ready = try app.post("/ready", body: "", isTrusted: true, method: "GET")
            // Once, whatever else needs it.
            return ready.status == 503 && ready.body.contains(#""problems":["ledger: \#(Self.lost)"#)
                && JSON.decode(Readiness.self, from: Array(ready.body.utf8))?.problems.count == 1
        }
        // Who logs in only now is let in.
        for cookie in [before, try logIn(app, Self.operations)] {
            for path in ["/console/attention", "/console/live", "/console/users/42"] {
                let page = try get(app, path, cookie)
                #expect(page.status == 503 && page.body.contains("No answer at the moment"), "\(path): \(page.body)")
                #expect(page.body.ranges(of: Self.lost).count == 1, "\(path): \(page.body)")
                #expect(!page.body.contains("could not be read"), "\(path): \(page.body)")
            }
            let overview = try get(app, "/console", cookie)
            #expect(overview.status == 200 && !overview.body.contains("could not be read"), "\(overview.body)")
            #expect(overview.body.ranges(of: Self.lost).count == 1, "\(overview.body)")
            let nodes = try get(app, "/console/nodes", cookie)
            #expect(nodes.status == 200 && nodes.body.contains(Self.lost), "\(nodes.body)")
            #expect(nodes.body.contains("(this one)") && nodes.body.contains("Settings of this node"), "\(nodes.body)")
        }
        let doctor = try app.server.doctor(key: app.workspace.apiKey, environment: ["DATABASE_URL": cluster.url])
        #expect(doctor.ranges(of: "PostgreSQL does not answer").count == 1, "\(doctor)")
        #expect(doctor.contains("FAIL  ledger") && doctor.contains("ok    API key"), "\(doctor)")
        // A key without the right to know it is told as little as before.
        let page = try get(app, "/console/users/42", try logIn(app, Self.support))
        #expect(page.status == 503 && !page.body.contains("PostgreSQL"), "\(page.body)")
        try cluster.start()
        try Deadline(.seconds(60)).wait(for: "PostgreSQL") {
            try get(app, "/console/attention", before).body.contains("All is well")
        }
    }
}
