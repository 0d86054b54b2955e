import Encoding
import TestSupport
import Testing

/// Stores and apps write in every script: a database that cannot keep that would refuse the same delivery for ever.
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct PostgresEncodingTests {
    /// `SQL_ASCII` takes any byte, and knows no characters: what is cut or compared there may end within one.
    @Test(arguments: ["LATIN1", "SQL_ASCII"]) func aDatabaseOfAnotherEncodingIsRefused(_ encoding: String) throws {
        let cluster = try PostgresCluster.shared()
        let name = "encoding_\(encoding.lowercased())"
        try cluster.psql(
            "CREATE DATABASE \(name) ENCODING '\(encoding)' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'"
        )
        defer { _ = try? cluster.psql("DROP DATABASE \(name)") }
        let url = "postgres://paycast@\(cluster.place)/\(name)"
        let told =
            "its encoding is \(encoding), in which not every text of a store can be kept: make a database with “createdb "
            + "--encoding=UTF8 --locale=C --template=template0 NAME”"
        let server = try PaycastServer()
        try server.stop(with: .terminate)
        func run(_ words: [String]) throws -> (code: Int32, said: String) {
            let process = PaycastProgram.start(words, environment: ["DATABASE_URL": url], folder: server.folder.path)
            return (try process.waitForExit(timeout: .seconds(60)), process.errors + process.output)
        }
        let started = try run(["serve", "--dev", "--port", "0"])
        #expect(started.code == 1 && started.said.contains("\(name): \(told)"), "\(started)")
        let migrated = try run(["migrate"])
        #expect(migrated.code == 1 && migrated.said.contains(told), "\(migrated)")
        let copied = try run(["copy", "--from", "sqlite:paycast.db", "--to", url])
        #expect(copied.code == 1 && copied.said.contains(told), "\(copied)")
        let doctor = try run(["doctor", "--dev"])
        #expect(doctor.code == 1 && doctor.said.contains("FAIL  ledger") && doctor.said.contains(told), "\(doctor)")
        #expect(try cluster.psql("SELECT to_regnamespace('paycast') IS NULL", database: name) == "t")
    }

    /// What the refusal says makes a database that serves, and what a client's environment or URL says of encodings is no
    /// matter: two nodes, of which one is told another, understand each other.
    @Test func whatIsMadeAsAdvisedKeepsEveryScript() throws {
        let cluster = try PostgresCluster.shared()
        let options = ["--encoding=UTF8", "--locale=C", "--template=template0"]
        let maker = RunningProcess(
            "createdb",
            arguments: options + ["-h", "127.0.0.1", "-p", "\(cluster.port)", "-U", "paycast", "encoding_utf8"]
        )
        #expect(try maker.waitForExit() == 0, "\(maker.errors)")
        let url = "postgres://paycast@\(cluster.place)/encoding_utf8"
        let nodes = try PostgresNodes(
            cluster: cluster,
            url: url,
            environments: [["DATABASE_URL": url + "?client_encoding=LATIN1", "PGCLIENTENCODING": "LATIN1"]]
        )
        let user = "Żółć漢🎟"
        let path = "/users/\(PercentEncoding.encode(user))"
        try nodes.ask("POST", path + "/grants", body: #"{"product":"p","days":1,"reason":"Grüße, 漢"}"#, on: 0)
        #expect(try nodes.ask("GET", path + "/entitlements", on: 1).contains(#""active":true"#))
        #expect(try nodes.ask("GET", "/audit?user=\(PercentEncoding.encode(user))", on: 1).contains("Grüße, 漢"))
        let stored = try cluster.psql(
            "SELECT count(*) FROM paycast.audit WHERE reason = 'Grüße, 漢'",
            database: "encoding_utf8"
        )
        #expect(stored == "1")
    }
}
