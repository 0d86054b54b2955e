import TestSupport
import Testing

@testable import Postgres

/// A connection that nobody on the way can read or answer in the server's place (https://www.postgresql.org/docs/15/libpq-ssl.html).
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled), .timeLimit(.minutes(10))) struct PostgresTLSTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var host = "localhost"
        var trustsServer = true
        var serverHasTLS = true
        var connects: Bool
    }

    @Test(arguments: [
        Case(testDescription: "the server's own name", connects: true),
        Case(testDescription: "its address", host: "127.0.0.1", connects: true),
        Case(testDescription: "another name", host: "database.example", connects: false),
        Case(testDescription: "another authority", trustsServer: false, connects: false),
        Case(testDescription: "a server without TLS", serverHasTLS: false, connects: false),
    ]) func theServerProvesWhoItIs(_ given: Case) throws {
        let certificate = try TemporaryCertificate()
        let cluster = given.serverHasTLS ? try PostgresCluster(certificate: certificate) : try PostgresCluster.shared()
        let trusted = given.trustsServer ? certificate : try TemporaryCertificate("another")
        let url = try PostgresURL(
            "postgres://paycast@\(given.host):\(cluster.port)/postgres?hostaddr=127.0.0.1&sslmode=verify-full"
                + "&sslrootcert=\(trusted.certificateFile)"
        )
        let connection = PostgresConnection(url)
        let question = "SELECT CAST(ssl AS INTEGER) FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
        if given.connects {
            #expect(try connection.prepare(question).first { $0.integer(0) } == 1)
        } else {
            #expect(throws: PostgresError.self) { try connection.prepare(question).first { $0.integer(0) } }
        }
    }
}
