import HTTPClient
import Simulator
import Stores
import Synchronization
import TestSupport
import Testing

@testable import Domain

/// Against the stand-in over real connections.
@Suite struct GoogleVerifierTests {
    private static let now = GoogleFixture.now

    @Test func readsThePurchase() throws {
        let fixture = try GoogleFixture()
        let event = try fixture.reader.verify(try fixture.delivery("SUBSCRIPTION_PURCHASED"), now: Self.now)
        #expect(event.observation?.snapshot?.state == .active && event.environment == .sandbox)
        #expect(event.observation?.transaction?.price == 9990)
        #expect(event.observation?.account != nil)
        #expect(event.observation?.account == event.observation?.token?.description)
        #expect(event.jobs.map(\.detail) == ["subscriptions/paycast.pro.monthly"])
        #expect(event.jobs.first?.deadline == Self.now + .seconds(3 * 86_400))
        let again = try fixture.reader.verify(try fixture.delivery("SUBSCRIPTION_RENEWED"), now: Self.now)
        // The same clock, and yet later: one reading after the other.
        #expect(again.signedAt > event.signedAt)
        #expect(fixture.server.requests.filter { $0.path == "/token" }.count == 1)
    }

    @Test(arguments: [ProductKind.subscription, .nonConsumable]) func acknowledges(_ kind: ProductKind) throws {
        let fixture = try GoogleFixture()
        let type = kind == .subscription ? "SUBSCRIPTION_PURCHASED" : "ONE_TIME_PRODUCT_PURCHASED"
        let facts = SimulatedSubscription(product: "p", kind: kind, lineage: "token.1")
        let delivery = try fixture.delivery(type, facts: facts)
        let event = try fixture.reader.verify(delivery, now: Self.now)
        let job = try #require(event.jobs.first)
        try fixture.api.perform(job, now: Self.now)
        let answer = fixture.standIn.answer(StandInRequest(method: "GET", path: "/jobs"))
        let folder = kind == .subscription ? "subscriptions" : "products"
        #expect(
            String(decoding: answer?.body ?? [], as: UTF8.self) == #"{"jobs":["acknowledge \#(folder)/p token.1"]}"#
        )
        #expect(try fixture.reader.verify(delivery, now: Self.now).jobs.isEmpty)
    }

    @Test(arguments: [
        (404, unknownToken, "refused"), (410, "", "refused"), (400, "", "refused"), (403, "", "unauthorized"),
        (403, usedUp, "unavailable"),
        (404, "", "unavailable"), (404, unknownPackage, "unauthorized"),
        (401, "", "unauthorized"), (408, "", "unavailable"), (409, "", "unavailable"), (429, "", "unavailable"),
        (500, "", "unavailable"), (503, "<html>", "unavailable"),
        (400, #"{"error":{"errors":[{"reason":"alreadyAcknowledged"}]}}"#, ""), (200, "", ""), (204, "", ""),
    ]) func jobIsDoneOrNot(_ status: Int, body: String, expected: String) throws {
        let fixture = try GoogleFixture()
        fixture.trouble.answer.withLock { $0 = .init(status, body: body) }
        let job = Job(
            kind: .acknowledge,
            provider: .google,
            environment: .sandbox,
            app: "a",
            subject: "secret-token",
            detail: "subscriptions/p"
        )
        var word = ""
        do throws(StoreAPIError) {
            try fixture.api.perform(job, now: Self.now)
        } catch {
            #expect(!error.description.contains("secret-token"))
            switch error {
            case .unavailable: word = "unavailable"
            case .unauthorized: word = "unauthorized"
            case .refused: word = "refused"
            case .unreadable, .notYetKnown: word = "unreadable"
            }
        }
        #expect(word == expected)
    }

    private static let unknownToken =
        #"{"error":{"errors":[{"reason":"purchaseTokenNotFound","location":"token"}],"code":404}}"#
    private static let unknownPackage =
        #"{"error":{"errors":[{"reason":"applicationNotFound","location":"packageName"}],"code":404}}"#
    private static let usedUp = #"{"error":{"errors":[{"reason":"quotaExceeded"}],"code":403}}"#
    private static let invalidToken = #"{"error":{"errors":[{"reason":"invalid"}],"code":400}}"#
    private static let invalidPackage =
        #"{"error":{"errors":[{"reason":"invalid","location":"packageName"}],"code":400}}"#

    /// Down, limited, not entitled, the wrong package, or not Google at all: it is worth asking again. And Google cannot
    /// have forgotten what was bought just now.
    @Test(arguments: [
        (AnsweringServer.Answer(500), VerificationError.Silence.noAnswer), (.init(503), .noAnswer),
        (.init(429), .noAnswer), (.init(401), .refusedKey), (.init(403), .refusedKey),
        (.init(200, body: "<html>"), .unreadable),
        (.init(418), .refusedQuestion), (.init(404), .noAnswer),
        (.init(404, body: unknownPackage), .refusedKey), (.init(400), .refusedQuestion),
        (.init(400, body: invalidPackage), .refusedQuestion), (.init(404, body: unknownToken), .notYetKnown),
    ]) func withoutAnAnswerGoogleShallComeBack(
        _ answer: AnsweringServer.Answer,
        silence: VerificationError.Silence
    ) throws {
        let fixture = try GoogleFixture()
        let delivery = try fixture.delivery("SUBSCRIPTION_PURCHASED")
        fixture.trouble.answer.withLock { $0 = answer }
        #expect(throws: VerificationError.storeUnreachable(silence)) {
            try fixture.reader.verify(delivery, now: Self.now)
        }
        fixture.trouble.answer.withLock { $0 = nil }
        #expect(try fixture.reader.verify(delivery, now: Self.now).observation?.snapshot?.state == .active)
    }

    /// It would answer the same for a week.
    @Test(arguments: [
        (AnsweringServer.Answer(404, body: unknownToken), "unknown_purchase"), (.init(410), "unknown_purchase"),
        (.init(400, body: invalidToken), "unknown_purchase"), (.init(200, body: "{}"), "unreadable_purchase"),
        (.init(200, body: #"{"subscriptionState":"SUBSCRIPTION_STATE_ACTIVE","lineItems":[]}"#), "unreadable_purchase"),
    ]) func whatCannotSucceedIsKept(_ answer: AnsweringServer.Answer, subtype: String) throws {
        let fixture = try GoogleFixture()
        let delivery = try fixture.delivery("SUBSCRIPTION_RENEWED")
        fixture.trouble.answer.withLock { $0 = answer }
        let event = try fixture.reader.verify(delivery, now: Self.now)
        #expect(event.observation == nil && event.subtype == subtype && event.kind == .subscriptionRenewed)
    }

    /// An hour is time enough; the token of the push has to live as long.
    @Test func oldPurchaseThatIsUnknownIsKept() throws {
        let fixture = try GoogleFixture()
        var purchase = try fixture.delivery("SUBSCRIPTION_PURCHASED")
        fixture.trouble.answer.withLock { $0 = .init(404, body: Self.unknownToken) }
        let later = Self.now + .seconds(3600)
        purchase.authorization = try fixture.delivery("SUBSCRIPTION_RENEWED", at: later).authorization
        #expect(try fixture.reader.verify(purchase, now: later).subtype == "unknown_purchase")
    }

    @Test func otherPackageIsNotAskedFor() throws {
        let fixture = try GoogleFixture(packages: .only(["com.example.other"]))
        let delivery = try fixture.delivery("SUBSCRIPTION_PURCHASED")
        #expect(throws: VerificationError.wrongApp) { try fixture.reader.verify(delivery, now: Self.now) }
        #expect(!fixture.server.requests.contains { $0.path.hasPrefix("/androidpublisher") })
    }

    /// The sender is proven before anything of the body is looked at.
    @Test func strangersAreNotAnswered() throws {
        let fixture = try GoogleFixture()
        var delivery = try fixture.delivery("SUBSCRIPTION_PURCHASED")
        delivery.authorization = nil
        #expect(throws: VerificationError.untrusted(.unauthorized)) {
            try fixture.reader.verify(delivery, now: Self.now)
        }
        #expect(fixture.server.requests.isEmpty)
    }

    @Test func statementIsAnEventOfItsOwn() throws {
        let fixture = try GoogleFixture()
        _ = try fixture.delivery("SUBSCRIPTION_CANCELED")
        var contract = ContractKey(
            provider: .google,
            environment: .sandbox,
            app: SimulatedGooglePlay.package,
            lineage: "token.1"
        )
        let event = try #require(try fixture.api.statement(of: contract, now: Self.now))
        #expect(event.observation?.snapshot?.state == .cancelled && event.id.hasPrefix("statement:"))
        #expect(!event.id.contains("token.1"))
        // The purchase is asked about, whichever of its products it is.
        contract.lineage = "../../x?y z#product"
        #expect(try fixture.api.statement(of: contract, now: Self.now) == nil)
        #expect(fixture.server.requests.last?.path.hasSuffix("tokens/..%2F..%2Fx%3Fy%20z") == true)
    }
}
