import Stores
import Support
import TestSupport
import Testing

@testable import Commands

@Suite(.blocking) struct SecretsCheckTests {
    private static let key = "0123456789abcdef0123456789abcdef"
    private static let other = "fedcba9876543210fedcba9876543210"

    struct Secret: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var environment: [String: String]
        var level: Finding.Level
        var hint: String
        var isDevelopment = false
    }

    @Test(arguments: [
        Secret(
            testDescription: "good ones",
            environment: ["PAYCAST_API_KEY": "\(key), \(other)", "PAYCAST_STRIPE_SECRETS": "whsec_\(key)"],
            level: .ok,
            hint: "3 set"
        ),
        Secret(testDescription: "none", environment: [:], level: .ok, hint: "none is set"),
        Secret(testDescription: "blank", environment: ["SECRET_KEY_BASE": "  "], level: .fail, hint: "blank"),
        Secret(testDescription: "commas alone", environment: ["PAYCAST_API_KEY": " , "], level: .fail, hint: "blank"),
        Secret(testDescription: "short", environment: ["PAYCAST_API_KEY": "hunter2"], level: .fail, hint: "short"),
        Secret(
            testDescription: "short in a list",
            environment: ["PAYCAST_API_KEY": "\(key),hunter2"],
            level: .fail,
            hint: "short"
        ),
        Secret(
            testDescription: "placeholder",
            environment: ["PAYCAST_PURCHASEKIT_SECRET": "ChangeMe-ChangeMe-ChangeMe"],
            level: .fail,
            hint: "placeholder"
        ),
        Secret(
            testDescription: "one for two stores",
            environment: ["PAYCAST_REVENUECAT_AUTHORIZATION": key, "PAYCAST_PURCHASEKIT_SECRET": key],
            level: .fail,
            hint: "value of PAYCAST_REVENUECAT_AUTHORIZATION"
        ),
        Secret(
            testDescription: "the development server's",
            environment: ["PAYCAST_API_KEY": "dev-dev-dev-dev-dev-dev"],
            level: .fail,
            hint: ".paycast/"
        ),
        Secret(
            testDescription: "the development server's, in development",
            environment: ["PAYCAST_API_KEY": "dev-dev-dev-dev-dev-dev"],
            level: .ok,
            hint: "1 set",
            isDevelopment: true
        ),
        Secret(
            testDescription: "an API key in place of Stripe's signing secret",
            environment: ["PAYCAST_STRIPE_SECRETS": "sk_live_\(key)"],
            level: .warn,
            hint: "whsec_"
        ),
        Secret(
            testDescription: "a test key in production",
            environment: ["PAYCAST_STRIPE_API_KEY": "rk_test_\(key)"],
            level: .warn,
            hint: "test key"
        ),
    ]) func judgesSecrets(_ given: Secret) {
        let findings = SecretsCheck(
            environment: given.environment,
            isDevelopment: given.isDevelopment,
            developmentKeys: ["dev-dev-dev-dev-dev-dev"]
        ).findings
        #expect(findings.count == 1, "\(findings)")
        #expect(findings.first?.level == given.level)
        #expect(findings.first?.detail.contains(given.hint) == true, "\(findings)")
        for value in given.environment.values where value.utf8.count > 3 {
            #expect(!findings.contains { $0.line.contains(value) })
        }
    }
}
