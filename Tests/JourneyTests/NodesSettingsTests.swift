import API
import APIModel
import Encoding
import HTTPClient
import TestSupport
import Testing

/// Two nodes with different settings, on a real PostgreSQL.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct NodesSettingsTests {
    private static let consoleKey = "key-of-the-console-0123456789abcdef"
    private static let keys = ["PAYCAST_KEYS": "ops:read+operate:" + consoleKey]

    /// Makes all that nodes tell of their settings older, by so many minutes.
    private static func age(_ minutes: Int, in cluster: PostgresCluster) throws {
        try cluster.psql(
            """
            CREATE FUNCTION paycast.age() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    SELECT string_agg(regexp_replace(line, ' [0-9]+ ',
                        ' ' || split_part(line, ' ', 2)::bigint - \(minutes * 60_000) || ' '), E'\\n')
                    INTO NEW.settings FROM regexp_split_to_table(NEW.settings, E'\\n') AS line;
                    RETURN NEW;
                END $$;
            CREATE TRIGGER age BEFORE INSERT OR UPDATE ON paycast.nodes
                FOR EACH ROW EXECUTE FUNCTION paycast.age();
            """
        )
    }

    private func nodesPage(of server: PaycastServer) throws -> String {
        let client = HTTPClient(timeout: .seconds(60))
        let form = "key=\(NodesSettingsTests.consoleKey)&next=%2Fconsole%2Fnodes"
        let headers = [("Content-Type", "application/x-www-form-urlencoded"), ("Sec-Fetch-Site", "same-origin")]
        let entered = try client.send(
            "POST",
            to: server.url + "/console/session",
            headers: headers,
            body: Array(form.utf8)
        )
        let cookie = entered.header("Set-Cookie").map { String($0.prefix { $0 != ";" }) } ?? ""
        let page = try client.send("GET", to: server.url + "/console/nodes", headers: [("Cookie", cookie)])
        return String(decoding: page.body, as: UTF8.self)
    }

    @Test func aDifferenceIsNamedEverywhere() throws {
        let nodes = try PostgresNodes(environments: [
            NodesSettingsTests.keys,
            NodesSettingsTests.keys.merging(["PAYCAST_TRANSFERS": "keep", "PAYCAST_STRIPE_SECRETS": "whsec_other"]) {
                $1
            },
        ])
        try nodes.wait(on: 0, for: "the difference") { $0.differences.count == 2 }
        let ready = try nodes.ready(on: 0)
        let ledger = try #require(ready.ledger)
        let names = ledger.nodes.map(\.name).sorted()
        #expect(ledger.differences.map(\.setting) == ["PAYCAST_STRIPE_SECRETS", "PAYCAST_TRANSFERS"])
        #expect(ledger.differences.allSatisfy { $0.nodes.map { $0[0] }.sorted() == names })
        #expect(ready.ready && ready.problems.isEmpty && ready.warnings.count == 2, "\(ready)")
        let warning = try #require(ready.warnings.last)
        #expect(warning.hasPrefix("PAYCAST_TRANSFERS is not the same on all nodes since 20"))
        for name in names { #expect(warning.contains(name)) }
        _ = try nodes[0].process.errorLine { $0.contains("nodes differ ") && $0.contains("PAYCAST_TRANSFERS is not") }
        let doctor = try nodes.doctor()
        #expect(doctor.contains("warn  nodes") && doctor.contains(warning.prefix(60)), "\(doctor)")
        let page = try nodesPage(of: nodes[0])
        #expect(page.contains("Settings that differ") && page.contains("PAYCAST_TRANSFERS"), "\(page)")
        for node in nodes.nodes { #expect(!node.process.errors.contains("whsec_other")) }
    }

    /// After five minutes, whoever stands alone, or came later, is not ready: a load balancer keeps the nodes that agree.
    @Test func aDifferenceThatLastsTakesOneNodeOut() throws {
        let folder = TemporaryFolder()
        let file = folder.write("key-of-the-tests-0123456789abcdef", to: "key")
        let cluster = try PostgresCluster()
        let first = try PostgresNodes(
            1,
            cluster: cluster,
            environments: [["PAYCAST_API_KEY": "", "PAYCAST_API_KEY_FILE": file]]
        )
        try NodesSettingsTests.age(6, in: cluster)
        let second = try PaycastServer(environment: [
            "DATABASE_URL": cluster.url, "PAYCAST_API_KEY_FILE": folder.write("another-key-0123456789", to: "other"),
            "PAYCAST_STREAM_KEYS": "stream-key-of-the-tests-0123456789",
        ])
        _ = try second.process.errorLine(timeout: .seconds(60)) {
            $0.contains("nodes differ for too long") && $0.contains("PAYCAST_API_KEY is not the same")
        }
        let client = HTTPClient(timeout: .seconds(60))
        let answer = try client.send("GET", to: second.url + "/ready")
        let body = String(decoding: answer.body, as: UTF8.self)
        #expect(
            answer.status == 503 && body.contains(#""problems":["PAYCAST_API_KEY is not the same on all nodes"#),
            "\(body)"
        )
        try Deadline(.seconds(60)).wait(for: "the other node") { try !first.ready(on: 0).warnings.isEmpty }
        let ready = try first.ready(on: 0)
        #expect(ready.ready && ready.warnings[0].hasPrefix("PAYCAST_API_KEY"), "\(ready)")
        #expect(try first.doctor().contains("FAIL  nodes"))
        let metrics = try client.send("GET", to: second.url + "/metrics")
        #expect(String(decoding: metrics.body, as: UTF8.self).contains("\npaycast_settings_different 1\n"))

        // One signal is the remedy.
        folder.write("key-of-the-tests-0123456789abcdef", to: "other")
        second.process.send(.hangUp)
        _ = try second.process.errorLine(timeout: .seconds(60)) {
            $0.contains("nodes agree again setting=PAYCAST_API_KEY")
        }
        #expect(try client.send("GET", to: second.url + "/ready").status == 200)
        try Deadline(.seconds(60)).wait(for: "agreement") { try first.ready(on: 0).warnings.isEmpty }
    }
}
