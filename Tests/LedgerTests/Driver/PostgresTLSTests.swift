import TestSupport
import Testing

@testable import Ledger

/// A connection that nobody on the way can read, or answer in the server's place
/// (https://www.postgresql.org/docs/15/libpq-ssl.html).
@Suite(.blocking, .enabled(if: PostgresCluster.isInstalled)) struct PostgresTLSTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var host = "localhost"
        var trustsServer = true
        var serverHasTLS = true
        /// What the refusal says; nil if it connects.
        var refusal: String?
    }

    @Test(arguments: [
        Case(testDescription: "the server's own name"),
        Case(testDescription: "its address", host: "127.0.0.1"),
        Case(testDescription: "another name", host: "database.example", refusal: "does not match host name"),
        Case(testDescription: "another authority", trustsServer: false, refusal: "certificate verify failed"),
        Case(testDescription: "a server without TLS", serverHasTLS: false, refusal: "does not support SSL"),
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
        guard let refusal = given.refusal else {
            #expect(try connection.prepare(question).first { $0.integer(0) } == 1)
            return
        }
        let error = #expect(throws: EngineError.self) { try connection.prepare(question).first { $0.integer(0) } }
        #expect(error?.message.contains(refusal) == true, "\(error?.message ?? "")")
    }
}
