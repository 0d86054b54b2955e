import Crypto
import Domain
import HTTPClient
import Simulator
import Stores
import Support
import TestSupport
import Testing

/// A development server and Apple's API, both ways.
@Suite(.blocking) struct AppleAPIJourneyTests {
    /// An offer code has no order: the app posts what it finds for the user of its page, and Apple is told whose it is.
    @Test func accountTokenIsSetAfterAClaim() throws {
        let journey = try AppleJourney()
        let order = try journey.order(for: "42")
        let (lineage, transaction) = try journey.outsidePurchase(until: Clock().now() + .seconds(86_400))
        let claim = #""stream":"\#(order.stream)","order":"\#(order.token)","asked":true"#
        let body = #"{"signedTransaction":"\#(transaction)",\#(claim)}"#
        let answer = try journey.post(Array(body.utf8), to: "/transactions/apple")
        #expect(answer.contains(#""outcome":"applied""#), "\(answer)")
        try Deadline(.seconds(60)).wait { journey.apple.requests.contains { $0.method == "PUT" } }
        let told = try #require(journey.apple.requests.first { $0.method == "PUT" })
        #expect(told.path.hasSuffix("/\(lineage)/appAccountToken"))
        #expect(told.body.contains(order.token.description))
    }

    /// Apple posts a test to the server's own webhook, and says how that went.
    @Test func testNotificationComesRound() throws {
        let server = try PaycastServer()
        let workspace = try DevelopmentWorkspace.existing(in: server.folder.path)
        let verifier = try AppleVerifier(
            bundleIDs: .any,
            appIDs: .any,
            environments: [.sandbox],
            roots: try #require(TrustedRoots(pem: workspace.root))
        )
        let api = AppleServerAPI(
            key: try .generate(.p256),
            keyID: "KEY",
            issuer: "issuer",
            app: SimulatedAppStore.bundleID,
            verifier: verifier,
            client: HTTPClient(timeout: .seconds(20))
        ) { [url = server.url] in $0 == .sandbox ? url + "/demo/api/apple/Sandbox" : nil }
        let token = try api.requestTest(in: .sandbox, now: Clock().now())
        let status = try api.testStatus(token, in: .sandbox, now: Clock().now())
        #expect(status.event.type == "TEST")
        #expect(status.results == ["SUCCESS"])
        let tail = server.paycast(
            ["tail", "--since", "start", "--until", "event=\(status.event.id)", "--timeout", "20"]
        )
        #expect(try tail.waitForExit() == 0, "\(tail.errors)")
    }
}
