import Crypto
import Domain
import Server
import Stores
import Support
import Testing

@Suite struct ConfigurationAppleTests {
    private let app = ["PAYCAST_APPLE_BUNDLE_ID": "com.example.app"]

    @Test func productionNeedsTheAppID() throws {
        let complete = app.merging(["PAYCAST_APPLE_APP_ID": "1234567890"]) { $1 }
        let configuration = try Configuration(environment: complete)
        #expect(configuration[AppleStore.self]?.bundles == .only(["com.example.app"]))
        #expect(configuration[AppleStore.self]?.appIDs == .each(["com.example.app": 1_234_567_890]))
        #expect(configuration.accessPolicy.sandboxUsers == .only([]))
    }

    @Test func eachAppHasAnIDOfItsOwn() throws {
        let bundles = ["PAYCAST_APPLE_BUNDLE_ID": "com.example.b,com.example.a"]
        let both = try Configuration(environment: bundles.merging(["PAYCAST_APPLE_APP_ID": "2, 1"]) { $1 })
        #expect(both[AppleStore.self]?.appIDs == .each(["com.example.a": 1, "com.example.b": 2]))
        let one = try Configuration(environment: bundles.merging(["PAYCAST_APPLE_APP_ID": "2"]) { $1 })
        #expect(one[AppleStore.self]?.appIDs == .each(["com.example.b": 2]))
        #expect(one.warnings.contains { $0.contains("com.example.a is not served in Production") })
        let error = #expect(throws: ConfigurationError.self) {
            try Configuration(environment: bundles.merging(["PAYCAST_APPLE_APP_ID": "2,1,3"]) { $1 })
        }
        #expect(error?.description.contains("has 3 app ids for 2 bundle ids") == true)
    }

    @Test func sandboxAloneNeedsNoAppIDAndOpensForAll() throws {
        let environment = app.merging(["PAYCAST_APPLE_ENVIRONMENTS": "Sandbox", "PAYCAST_SANDBOX_USERS": "1"]) { $1 }
        let configuration = try Configuration(environment: environment)
        #expect(configuration[AppleStore.self]?.environments == [.sandbox])
        #expect(configuration.accessPolicy.sandboxUsers == .any)
    }

    @Test func developmentServesAnyAppAndOpensForAll() throws {
        let configuration = try Configuration(isDevelopment: true, environment: [:])
        #expect(configuration[AppleStore.self]?.bundles == .any)
        #expect(configuration[AppleStore.self]?.appIDs == .any)
        #expect(configuration.accessPolicy.sandboxUsers == .any)
    }

    @Test func whatIsGivenWinsInDevelopment() throws {
        let environment = app.merging(["PAYCAST_SANDBOX_USERS": "1, 2"]) { $1 }
        let configuration = try Configuration(isDevelopment: true, environment: environment)
        #expect(configuration[AppleStore.self]?.bundles == .only(["com.example.app"]))
        #expect(configuration.accessPolicy.sandboxUsers == .only(["1", "2"]))
    }

    @Test func starOpensForAll() throws {
        #expect(try Configuration(environment: ["PAYCAST_SANDBOX_USERS": "*"]).accessPolicy.sandboxUsers == .any)
    }

    private func serverKey(_ pem: String) -> [String: String] {
        [
            "PAYCAST_APPLE_API_KEY": pem, "PAYCAST_APPLE_API_KEY_ID": "ID", "PAYCAST_APPLE_API_ISSUER_ID": "issuer",
        ]
    }

    @Test func serverKeyMayBeGivenAsText() throws {
        let configuration = try Configuration(environment: serverKey(PrivateKey.generate(.p256).pem()))
        #expect(configuration[AppleStore.self]?.serverKey?.id == "ID")
        #expect(configuration[AppleStore.self]?.serverKey?.issuer == "issuer")
        #expect(configuration.accessPolicy.apis == [.apple])
    }

    @Test func keyThatCannotSignStopsTheStart() throws {
        for pem in [
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----", try PrivateKey.generate(.p384).pem(),
        ] {
            let error = #expect(throws: ConfigurationError.self) { try Configuration(environment: serverKey(pem)) }
            #expect(error?.description.contains("PAYCAST_APPLE_API_KEY: is not a P-256 key") == true)
            #expect(error?.description.contains("AAAA") == false)
        }
    }

    @Test func withoutAKeyNobodyIsAskedAtAPeriodsEnd() throws {
        let configuration = try Configuration(environment: app.merging(["PAYCAST_APPLE_APP_ID": "1"]) { $1 })
        #expect(configuration.accessPolicy.apis == [])
    }

    @Test func developmentAsksItsStandIn() throws {
        let policy = try Configuration(isDevelopment: true, environment: [:]).accessPolicy
        #expect(policy.apis == [.apple, .google])
        #expect(policy.leeway == .seconds(5))
    }

    @Test func leewayIsSetInSeconds() throws {
        #expect(try Configuration(environment: [:]).accessPolicy.leeway == .seconds(300))
        #expect(try Configuration(environment: ["PAYCAST_LEEWAY_SECONDS": "0"]).accessPolicy.leeway == .zero)
        #expect(throws: ConfigurationError.self) { try Configuration(environment: ["PAYCAST_LEEWAY_SECONDS": "-1"]) }
    }

    @Test func forwardsToWholeAddresses() throws {
        let list = "https://one.example/webhooks/apple, http://127.0.0.1:8081/webhooks/apple"
        let configuration = try Configuration(environment: ["PAYCAST_FORWARD": list])
        #expect(configuration.forward.map(\.count) == [34, 36])
        #expect(throws: ConfigurationError.self) { try Configuration(environment: ["PAYCAST_FORWARD": "staging"]) }
        let useless = ["PAYCAST_FORWARD": list, "PAYCAST_APPLE_ENVIRONMENTS": "Production"]
        #expect(try Configuration(environment: useless).warnings.contains { $0.contains("PAYCAST_FORWARD") })
    }

    @Test func ownRootsAreAWarning() throws {
        let configuration = try Configuration(environment: ["PAYCAST_APPLE_ROOTS": "/etc"])
        #expect(configuration.warnings.contains { $0.contains("PAYCAST_APPLE_ROOTS") })
    }
}

extension Configuration {
    /// The settings of one store.
    subscript<Wanted: Store>(_ store: Wanted.Type) -> Wanted? { stores.lazy.compactMap { $0 as? Wanted }.first }
}
