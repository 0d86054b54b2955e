import Domain
import Support
import TestSupport
import Testing

@testable import Simulator

/// Notifications that look right and are not for this server.
extension BadInputTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var settings: [String: String]
        var bundleID = "com.example.paycast"
        var environment = StoreEnvironment.sandbox
        var signedAfter = Duration.zero
        var status: Int
        var code: String
    }

    /// Genuine in every other way.
    @Test(arguments: [
        Refusal(
            testDescription: "another app",
            settings: ["PAYCAST_APPLE_BUNDLE_ID": "com.example.other"],
            status: 503,
            code: "wrong_app"
        ),
        Refusal(
            testDescription: "an environment that is not served",
            settings: ["PAYCAST_APPLE_ENVIRONMENTS": "Sandbox"],
            environment: .production,
            status: 503,
            code: "wrong_environment"
        ),
        Refusal(
            testDescription: "another app id in Production",
            settings: ["PAYCAST_APPLE_APP_ID": "42"],
            environment: .production,
            status: 503,
            code: "wrong_app"
        ),
        Refusal(
            testDescription: "signed in the future",
            settings: [:],
            signedAfter: .seconds(600),
            status: 400,
            code: "signed_in_future"
        ),
    ]) func genuineNotificationForOthersIsRefused(_ given: Refusal) throws {
        let server = try PaycastServer(environment: given.settings)
        let workspace = try DevelopmentWorkspace.existing(in: server.folder.path)
        let notification = SimulatedEvent(
            type: "SUBSCRIBED",
            subtype: "INITIAL_BUY",
            facts: SimulatedSubscription(product: "paycast.pro.monthly", lineage: "2000000000000001"),
            app: given.bundleID,
            environment: given.environment,
            now: Clock().now() + given.signedAfter
        )
        let body = try SimulatedAppStore(signer: workspace.signer).body(notification)
        let attack = Attack(
            name: given.testDescription,
            path: "/webhooks/apple",
            body: String(decoding: body, as: UTF8.self),
            isTrusted: false,
            status: given.status,
            code: given.code
        )
        let answer = try send(attack, to: server, key: workspace.apiKey)
        #expect(
            answer.hasPrefix("HTTP/1.1 \(given.status) ") && answer.contains(#""error":"\#(given.code)""#),
            "\(answer)"
        )
        #expect(given.status != 503 || answer.contains("Retry-After: "))
    }

    /// Signed as it should be, by an authority that this server does not trust; and with one byte of its signature changed.
    @Test func signatureOfAnotherAuthorityIsRefused() throws {
        let server = try PaycastServer()
        let other = TemporaryFolder()
        let own = try DevelopmentWorkspace.existing(in: server.folder.path)
        let foreign = try DevelopmentWorkspace.open(in: other.path)
        let notification = SimulatedEvent(
            type: "SUBSCRIBED",
            facts: SimulatedSubscription(product: "paycast.pro.monthly", lineage: "2000000000000001"),
            now: Clock().now()
        )
        let strange = String(decoding: try SimulatedAppStore(signer: foreign.signer).body(notification), as: UTF8.self)
        let genuine = String(decoding: try SimulatedAppStore(signer: own.signer).body(notification), as: UTF8.self)
        let changed = genuine.dropLast(12) + (genuine.suffix(12).hasPrefix("A") ? "B" : "A") + genuine.suffix(11)
        for (body, code) in [(strange, "untrusted_chain"), (String(changed), "bad_signature")] {
            let attack = Attack(
                name: code,
                path: "/webhooks/apple",
                body: body,
                isTrusted: false,
                status: 400,
                code: code
            )
            let answer = try send(attack, to: server, key: own.apiKey)
            #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains(#""error":"\#(code)""#), "\(answer)")
        }
        let head = Attack(name: "head", method: "GET", path: "/users/1/entitlements", status: 200, code: "")
        #expect(try send(head, to: server, key: own.apiKey).contains(#"-0","user":"1""#), "nothing was committed")
    }

    @Test func unconfiguredServerAsksAppleToComeBack() throws {
        let server = try PaycastServer([])
        let attack = Attack(name: "", path: "/webhooks/apple", body: "{}", isTrusted: false, status: 503, code: "")
        let answer = try send(attack, to: server, key: "")
        #expect(answer.hasPrefix("HTTP/1.1 503 ") && answer.contains(#""error":"not_configured""#))
    }
}
