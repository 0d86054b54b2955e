import Domain
import Ledger
import Server
import Stores
import Support
import TestSupport
import Testing

@Suite struct ConfigurationTests {
    @Test func hasDefaults() throws {
        let configuration = try Configuration(environment: [:])
        #expect(configuration.port == 8080)
        #expect(configuration.bind == "127.0.0.1")
        #expect(configuration.database == .sqlite(path: "paycast.db"))
        #expect((1...64).contains(configuration.loops))
        #expect(configuration.logFormat == .text)
        #expect(configuration.logLevel == .info)
        #expect(configuration[AppleStore.self]?.bundles == .only([]))
        #expect(configuration[AppleStore.self]?.environments == [.production, .sandbox])
        #expect(configuration.allowedOrigins == .only([]))
        #expect(configuration.streamPattern == .standard)
        #expect(configuration[StripeStore.self]?.tolerance == .seconds(300))
    }

    @Test func flagsWinOverTheEnvironment() throws {
        let environment = ["PORT": "1", "PAYCAST_BIND": "::1", "DATABASE_URL": "sqlite:env.db"]
        let configuration = try Configuration(flags: ["--port": "0", "--bind": "localhost"], environment: environment)
        #expect(configuration.port == 0)
        #expect(configuration.bind == "localhost")
        #expect(configuration.database == .sqlite(path: "env.db"))
    }

    @Test func emptyVariableIsNotSet() throws {
        #expect(try Configuration(environment: ["PORT": "", "PAYCAST_API_KEY": ""]).apiKeys.isEmpty)
    }

    @Test func listsAreTrimmed() throws {
        let configuration = try Configuration(environment: [
            "PAYCAST_API_KEY": " new-new-new-new-new, old-old-old-old-old ,",
            "PAYCAST_STREAM_KEYS": "key-key-key-key-key",
        ])
        #expect(configuration.apiKeys.map(\.value) == ["new-new-new-new-new", "old-old-old-old-old"])
        #expect(configuration.streamKeys.map(\.value) == ["key-key-key-key-key"])
    }

    @Test func originsAreSpelledAsBrowsersDo() throws {
        let value = "https://Shop.example:443, http://localhost:3000,capacitor://localhost,http://[::1]:80"
        let configuration = try Configuration(environment: ["PAYCAST_ALLOWED_ORIGINS": value])
        let expected: Set = ["https://shop.example", "http://localhost:3000", "capacitor://localhost", "http://[::1]"]
        #expect(configuration.allowedOrigins == .only(expected))
        #expect(try Configuration(environment: ["PAYCAST_ALLOWED_ORIGINS": "*"]).allowedOrigins == .any)
    }

    @Test func allProblemsAreReportedEachByName() throws {
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration(
                flags: ["--port": "70000"],
                environment: ["PAYCAST_LOOPS": "0", "DATABASE_URL": "postgres://user:hunter2@db:port/paycast"]
            )
        }
        #expect(error?.problems.map(\.name) == ["--port", "DATABASE_URL", "PAYCAST_LOOPS"])
        #expect(error?.isAboutFlags == true)
        #expect(error?.description.split(separator: "\n").count == 3)
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test func secretsNeverShow() throws {
        let names = [
            "PAYCAST_API_KEY", "SECRET_KEY_BASE", "PAYCAST_STREAM_KEYS", "PAYCAST_STRIPE_SECRETS",
            "PAYCAST_REVENUECAT_AUTHORIZATION", "PAYCAST_REVENUECAT_SECRETS", "PAYCAST_PURCHASEKIT_SECRET",
        ]
        let environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "hunter2-hunter2-hunter2") })
        let configuration = try Configuration(environment: environment)
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(configuration)", String(reflecting: configuration), dumped] {
            #expect(!text.contains("hunter2"))
            #expect(text.contains("«secret»"))
        }
    }

    @Test func saysWhenTheAPIHasNoKey() throws {
        #expect(try Configuration(environment: [:]).warnings.contains { $0.contains("PAYCAST_API_KEY") })
        #expect(
            try Configuration(isDevelopment: true, environment: [:]).warnings.allSatisfy { !$0.contains("API_KEY") }
        )
    }

    @Test func clockStartsElsewhereInDevelopmentOnly() throws {
        let environment = ["PAYCAST_DEV_NOW": "2026-01-31T12:00:00Z"]
        let development = try Configuration(isDevelopment: true, environment: environment)
        #expect(development.developmentNow?.iso8601 == "2026-01-31T12:00:00.000Z")
        let production = try Configuration(environment: environment)
        #expect(production.developmentNow == nil)
        #expect(production.warnings.contains { $0.contains("PAYCAST_DEV_NOW") })
    }
}
