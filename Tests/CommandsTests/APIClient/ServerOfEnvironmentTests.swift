import Ledger
import TestSupport
import Testing

@testable import Commands

@Suite struct ServerOfEnvironmentTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String { "\(environment)" }
        var environment: [String: String]
        var address: String?
    }

    @Test(arguments: [
        Case(environment: [:]),
        Case(environment: ["PORT": "9000"], address: "http://127.0.0.1:9000"),
        Case(environment: ["PAYCAST_BIND": "192.0.2.7"], address: "http://192.0.2.7:8080"),
        Case(environment: ["PORT": "9000", "PAYCAST_BIND": "0.0.0.0"], address: "http://127.0.0.1:9000"),
        Case(
            environment: ["PORT": "443", "PAYCAST_BIND": "::", "PAYCAST_TLS_CERT": "x"],
            address: "https://[::1]:443"
        ),
        Case(environment: ["PORT": "0"]), Case(environment: ["PORT": "soon"]), Case(environment: ["PORT": ""]),
    ]) func listensWhereItsSettingsSay(_ given: Case) {
        let folder = TemporaryFolder()
        let nowhere = ["DATABASE_URL": "sqlite:\(folder.path)/none.db"]
        #expect(serverAddress(of: nowhere.merging(given.environment) { $1 }) == given.address)
    }

    /// Whatever flags it was started with.
    @Test func listensWhereItsLedgerSays() throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/paycast.db"
        let environment = ["DATABASE_URL": "sqlite:\(path)", "PORT": "9000"]
        try withExtendedLifetime(LedgerLock(path: path)) { lock in
            lock.write(address: "http://127.0.0.1:9001")
            #expect(serverAddress(of: environment) == "http://127.0.0.1:9001")
        }
        #expect(serverAddress(of: environment) == "http://127.0.0.1:9000")
    }
}
