import Server
import Support
import TestSupport
import Testing

/// What a server says in a container, and nowhere else.
@Suite struct ConfigurationContainerTests {
    private let folder = TemporaryFolder()

    private func warnings(_ environment: [String: String], isDevelopment: Bool = false) throws -> [String] {
        let ledger = ["DATABASE_URL": "sqlite:\(folder.path)/paycast.db"]
        return try Configuration(isDevelopment: isDevelopment, environment: ledger.merging(environment) { $1 }).warnings
    }

    /// The temporary folder is not on a volume.
    @Test func aLedgerWithoutAVolumeIsLost() throws {
        let loss = "is lost with it: mount a volume"
        #expect(try warnings(["container": "oci"]).count { $0.contains(loss) } == 1)
        #expect(try warnings(["container": ""]).allSatisfy { !$0.contains(loss) })
        #expect(try warnings(["container": "oci"], isDevelopment: true).allSatisfy { !$0.contains(loss) })
        let shared = ["container": "oci", "DATABASE_URL": "postgres://paycast@database/paycast"]
        #expect(try warnings(shared).allSatisfy { !$0.contains(loss) })
    }

    @Test func whoMayBuyIsDecidedWhereThePortIsPublished() throws {
        let open = ["PAYCAST_BIND": "0.0.0.0"]
        #expect(try warnings(open, isDevelopment: true).contains { $0.hasSuffix("omit PAYCAST_BIND or --dev") })
        let inside = try warnings(open.merging(["container": "podman"]) { $1 }, isDevelopment: true)
        #expect(inside.contains { $0.hasSuffix("with -p 127.0.0.1:8080:8080") })
    }

    @Test(arguments: [
        ("0.0.0.0", "http://localhost:8080"), ("::", "http://localhost:8080"), ("::1", "http://[::1]:8080"),
    ])
    func itsPortIsTheMachines(_ bind: String, _ shown: String) {
        let address = ServerAddress(bind: bind, port: 8080, isSecure: false, isInContainer: true)
        #expect(address.shown == shown)
        #expect(!address.own.contains("localhost"))
    }
}
