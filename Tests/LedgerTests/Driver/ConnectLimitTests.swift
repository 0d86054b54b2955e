import Testing

@testable import Ledger

@Suite struct ConnectLimitTests {
    struct Patience: CustomTestStringConvertible {
        var testDescription: String
        var parameters = ""
        var waitsAsTold: Bool
        var limit: Duration
    }

    /// Others wait for the log and the probe, whatever the URL says.
    @Test(arguments: [
        Patience(testDescription: "our own", waitsAsTold: true, limit: .seconds(3)),
        Patience(testDescription: "longer", parameters: "?connect_timeout=10", waitsAsTold: true, limit: .seconds(10)),
        Patience(testDescription: "shorter", parameters: "?connect_timeout=2", waitsAsTold: true, limit: .seconds(2)),
        Patience(testDescription: "none", parameters: "?connect_timeout=0", waitsAsTold: true, limit: .seconds(3)),
        Patience(testDescription: "urgent", parameters: "?connect_timeout=10", waitsAsTold: false, limit: .seconds(3)),
        Patience(testDescription: "both", parameters: "?connect_timeout=2", waitsAsTold: false, limit: .seconds(2)),
    ]) func connectsWithin(_ given: Patience) throws {
        var options = PostgresOptions()
        options.connect = .seconds(3)
        options.waitsAsTold = given.waitsAsTold
        let url = try PostgresURL("postgres://host/postgres" + given.parameters)
        #expect(PostgresConnection(url, options: options).connectLimit == given.limit)
    }
}
