import Crypto
import Domain
import Server
import Testing

@Suite struct ConfigurationAppleTests {
    private let app = ["PAYCAST_APPLE_BUNDLE_ID": "com.example.app"]

    @Test func productionNeedsTheAppID() throws {
        let complete = app.merging(["PAYCAST_APPLE_APP_ID": "1234567890"]) { $1 }
        let configuration = try Configuration(environment: complete)
        #expect(configuration.apple.bundles == .only(["com.example.app"]))
        #expect(configuration.apple.appID == 1_234_567_890)
        #expect(configuration.accessPolicy.sandboxUsers == .only([]))
    }

    @Test func sandboxAloneNeedsNoAppIDAndOpensForAll() throws {
        let environment = app.merging(["PAYCAST_APPLE_ENVIRONMENTS": "Sandbox", "PAYCAST_SANDBOX_USERS": "1"]) { $1 }
        let configuration = try Configuration(environment: environment)
        #expect(configuration.apple.environments == [.sandbox])
        #expect(configuration.accessPolicy.sandboxUsers == .all)
    }

    @Test func developmentServesAnyAppAndOpensForAll() throws {
        let configuration = try Configuration(isDevelopment: true, environment: [:])
        #expect(configuration.apple.bundles == .any)
        #expect(configuration.apple.appID == nil)
        #expect(configuration.accessPolicy.sandboxUsers == .all)
    }

    @Test func whatIsGivenWinsInDevelopment() throws {
        let environment = app.merging(["PAYCAST_SANDBOX_USERS": "1, 2"]) { $1 }
        let configuration = try Configuration(isDevelopment: true, environment: environment)
        #expect(configuration.apple.bundles == .only(["com.example.app"]))
        #expect(configuration.accessPolicy.sandboxUsers == .only(["1", "2"]))
    }

    @Test func starOpensForAll() throws {
        #expect(try Configuration(environment: ["PAYCAST_SANDBOX_USERS": "*"]).accessPolicy.sandboxUsers == .all)
    }

    @Test func serverKeyMayBeGivenAsText() throws {
        let configuration = try Configuration(environment: [
            "PAYCAST_APPLE_API_KEY": try PrivateKey.generate(.p256).pem(), "PAYCAST_APPLE_API_KEY_ID": "ID",
            "PAYCAST_APPLE_API_ISSUER_ID": "issuer",
        ])
        #expect(configuration.apple.serverKey?.id == "ID")
        #expect(configuration.apple.serverKey?.issuer == "issuer")
    }

    @Test func ownRootsAreAWarning() throws {
        let configuration = try Configuration(environment: ["PAYCAST_APPLE_ROOTS": "/etc"])
        #expect(configuration.warnings.contains { $0.contains("PAYCAST_APPLE_ROOTS") })
    }
}
