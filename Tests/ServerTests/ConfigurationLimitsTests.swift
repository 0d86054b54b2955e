import HTTP
import Server
import Support
import Testing

@Suite struct ConfigurationLimitsTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var variable: String
        var isRead: @Sendable (Limits) -> Bool
        var testDescription: String { variable }
    }

    static let cases = [
        Case(variable: "PAYCAST_MAX_CONNECTIONS") { $0.connections == 1234 },
        Case(variable: "PAYCAST_MAX_CONNECTIONS_PER_ADDRESS") { $0.connectionsPerAddress == 1234 },
        Case(variable: "PAYCAST_MAX_SUBSCRIPTIONS") { $0.subscriptions == 1234 },
        Case(variable: "PAYCAST_MAX_COMMANDS") { $0.commandsPerMinute == 1234 },
        Case(variable: "PAYCAST_MAX_FRAME") { $0.messageBytes == 1234 },
        Case(variable: "PAYCAST_IDLE_SECONDS") { $0.idleSeconds == 1234 },
        Case(variable: "PAYCAST_WRITE_SECONDS") { $0.writeSeconds == 1234 },
    ]

    @Test(arguments: cases) func readsEach(_ example: Case) throws {
        let configuration = try Configuration(environment: [example.variable: "1234"])
        #expect(example.isRead(configuration.limits))
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration(environment: [example.variable: "0"])
        }
        #expect(error?.problems.map(\.name) == [example.variable])
    }

    @Test func secondsAndBytesOfOthers() throws {
        let configuration = try Configuration(environment: [
            "PAYCAST_HEADER_SECONDS": "5", "PAYCAST_BODY_SECONDS": "6", "PAYCAST_MAX_QUEUE": "65536",
        ])
        #expect(configuration.limits.headerSeconds == 5)
        #expect(configuration.limits.bodySeconds == 6)
        #expect(configuration.limits.queuedBytes == 65_536)
    }

    @Test func theDefaultLeavesFilesForTheRest() throws {
        let configuration = try Configuration(environment: [:])
        #expect(configuration.limits == Limits(loops: configuration.loops))
        #expect(configuration.trustedProxies == [])
        #expect(configuration.warnings.allSatisfy { !$0.contains("PAYCAST_MAX_CONNECTIONS") })
        let greedy = try Configuration(environment: ["PAYCAST_MAX_CONNECTIONS": "4000000"])
        #expect(FileLimit.highest() > 4_001_000 || greedy.warnings.contains { $0.contains("PAYCAST_MAX_CONNECTIONS") })
    }

    struct Scarcity: Sendable, CustomTestStringConvertible {
        var files: Int
        var loops = 2
        var connections: Int

        var testDescription: String { "\(files) files for \(loops) loops" }
    }

    /// The rest of the server keeps what it needs; a thread of sockets needs files of its own.
    @Test(arguments: [
        Scarcity(files: 100_000, connections: 50_000), Scarcity(files: 20_000, connections: 19_680),
        Scarcity(files: 1024, connections: 704), Scarcity(files: 1024, loops: 32, connections: 404),
        Scarcity(files: 256, connections: 96), Scarcity(files: 128, connections: 32),
        Scarcity(files: 64, connections: 1),
        Scarcity(files: .max, connections: 50_000),
    ]) func connectionsFitIntoTheFiles(_ scarcity: Scarcity) {
        let limits = Limits(loops: scarcity.loops, files: scarcity.files)
        #expect(limits.connections == scarcity.connections)
    }

    @Test func proxiesAreAddressesOrNetworks() throws {
        let value = "127.0.0.1, 10.0.0.0/8,fd00::/8"
        let configuration = try Configuration(environment: ["PAYCAST_TRUSTED_PROXIES": value])
        let networks = ["127.0.0.1", "10.0.0.0/8", "fd00::/8"].compactMap(IPNetwork.init)
        #expect(configuration.trustedProxies == networks)
    }

    @Test(arguments: ["*", "proxy.example", "10.0.0.0/33", "10.0.0.1,,x"]) func nothingElse(_ value: String) {
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration(environment: ["PAYCAST_TRUSTED_PROXIES": value])
        }
        #expect(error?.problems.first?.name == "PAYCAST_TRUSTED_PROXIES")
    }
}
