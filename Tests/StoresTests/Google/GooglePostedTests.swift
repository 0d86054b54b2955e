import Domain
import Simulator
import Synchronization
import TestSupport
import Testing

@testable import Stores

/// What an app posts is what Google says of it.
@Suite struct GooglePostedTests {
    private static let month = SimulatedSubscription(product: "paycast.pro.monthly", lineage: "token.1")
    private static let lifetime = SimulatedSubscription(
        product: "paycast.lifetime",
        kind: .nonConsumable,
        lineage: "token.2"
    )

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let type: String
        let facts: SimulatedSubscription
        /// As the app names it.
        var product: String?
    }

    static let cases = [
        Case(testDescription: "a subscription", type: "SUBSCRIPTION_PURCHASED", facts: month),
        Case(
            testDescription: "a subscription by its product",
            type: "SUBSCRIPTION_PURCHASED",
            facts: month,
            product: "paycast.pro.monthly"
        ),
        Case(testDescription: "a one-time purchase", type: "ONE_TIME_PRODUCT_PURCHASED", facts: lifetime),
        Case(
            testDescription: "a one-time purchase by its product",
            type: "ONE_TIME_PRODUCT_PURCHASED",
            facts: lifetime,
            product: "paycast.lifetime"
        ),
        Case(
            testDescription: "a one-time purchase that the app names wrongly",
            type: "ONE_TIME_PRODUCT_PURCHASED",
            facts: lifetime,
            product: "paycast.pro.monthly"
        ),
    ]

    @Test(arguments: cases) func saysWhatTheWebhookSays(_ example: Case) throws {
        let fixture = try GoogleFixture()
        let webhook = try fixture.reader.verify(
            try fixture.delivery(example.type, facts: example.facts),
            now: GoogleFixture.now
        )
        let posted = try fixture.reader.read(
            .init(token: example.facts.lineage, product: example.product, package: SimulatedGooglePlay.package),
            now: GoogleFixture.now
        )
        #expect(posted.observation?.contract == webhook.observation?.contract)
        #expect(posted.observation?.token == webhook.observation?.token)
        #expect(posted.observation?.snapshot?.state == webhook.observation?.snapshot?.state)
        #expect(posted.observation?.transaction?.product == webhook.observation?.transaction?.product)
        #expect(posted.jobs == webhook.jobs)
        let interpret = try #require(
            try fixture.reader.interpret(
                StoredDelivery(
                    id: posted.id,
                    body: posted.body,
                    environment: posted.environment,
                    app: posted.app,
                    receivedAt: GoogleFixture.now
                )
            )
        )
        #expect(interpret.observation == posted.observation)
    }

    /// An app that posts at each of its starts fills no ledger; a state that comes again after another one is news.
    @Test func theSameAnswerIsOneEvent() throws {
        let fixture = try GoogleFixture()
        _ = try fixture.delivery("SUBSCRIPTION_PURCHASED", facts: Self.month)
        let posted = PostedGooglePurchase(token: "token.1", package: SimulatedGooglePlay.package)
        let first = try fixture.reader.read(posted, now: GoogleFixture.now)
        let repeated = try fixture.reader.read(posted, now: GoogleFixture.now)
        #expect(repeated.id == first.id && repeated.observation == first.observation)
        _ = try fixture.delivery("SUBSCRIPTION_CANCELED", facts: Self.month)
        let cancelled = try fixture.reader.read(posted, now: GoogleFixture.now)
        #expect(cancelled.id != first.id && cancelled.observation?.snapshot?.state == .cancelled)
        _ = try fixture.delivery("SUBSCRIPTION_PURCHASED", facts: Self.month)
        let again = try fixture.reader.read(posted, now: GoogleFixture.now)
        #expect(again.id != first.id && again.observation?.snapshot?.state == first.observation?.snapshot?.state)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var packages = Allowlist.only([SimulatedGooglePlay.package])
        var posted: PostedGooglePurchase
        var trouble: AnsweringServer.Answer?
        let code: String
    }

    static let refusals = [
        Refusal(testDescription: "a token that is none", posted: .init(token: "made/up?"), code: "unknown_purchase"),
        Refusal(
            testDescription: "another app's",
            posted: .init(token: "token.1", package: "com.example.other"),
            code: "wrong_app"
        ),
        Refusal(
            testDescription: "one of several packages",
            packages: .only([SimulatedGooglePlay.package, "com.example.other"]),
            posted: .init(token: "token.1"),
            code: "missing_package"
        ),
        Refusal(
            testDescription: "Google is down",
            posted: .init(token: "token.1"),
            trouble: .init(503),
            code: "store_unreachable"
        ),
        Refusal(
            testDescription: "the key is not accepted",
            posted: .init(token: "token.1"),
            trouble: .init(403),
            code: "store_unreachable"
        ),
        Refusal(
            testDescription: "an answer that tells of no purchase",
            posted: .init(token: "token.1"),
            trouble: .init(200, body: "{}"),
            code: "unknown_purchase"
        ),
    ]

    @Test(arguments: refusals) func isRefused(_ refusal: Refusal) throws {
        let fixture = try GoogleFixture(packages: refusal.packages)
        _ = try fixture.delivery("SUBSCRIPTION_PURCHASED", facts: Self.month)
        fixture.trouble.answer.withLock { $0 = refusal.trouble }
        let error = #expect(throws: VerificationError.self) {
            try fixture.reader.read(refusal.posted, now: GoogleFixture.now)
        }
        #expect(error?.code == refusal.code)
    }
}

extension PostedGooglePurchase {
    fileprivate init(token: String, product: String? = nil, package: String? = nil) {
        self.init(name: .token(token), product: product, package: package)
    }
}
