import Crypto
import Domain
import HTTPClient
import Providers
import Simulator
import Stores
import Synchronization
import TestSupport
import Testing

/// Against the stand-in over real connections.
@Suite(.timeLimit(.minutes(10))) struct GoogleReaderTests {
    private static let key = Result { try RSAPrivateKey.generate() }
    private static let now = Instant(milliseconds: 1_767_225_600_000)

    /// A reader, the stand-in that it asks, and the simulated store that both believe.
    private final class Stage: Sendable {
        let store: SimulatedGooglePlay
        let standIn: GoogleStandIn
        let server: AnsweringServer
        let api: GooglePlayAPI
        let reader: GoogleReader
        /// Takes the place of the API's answers, but for keys and tokens.
        let trouble: Trouble

        init(packages: GoogleReader.Packages = .any) throws {
            let key = try GoogleReaderTests.key.get()
            let (standIn, trouble) = (GoogleStandIn(key: key), Trouble())
            let server = AnsweringServer { request in
                if request.path.hasPrefix("/androidpublisher"), let answer = trouble.answer.withLock({ $0 }) {
                    return answer
                }
                return Stage.answer(request, standIn)
            }
            let url = server.url
            let credentials = GoogleCredentials(account: "a@b", keyID: "1", key: key, tokenAddress: "\(url)/token")
            api = GooglePlayAPI(clock: { GoogleReaderTests.now }, credentials: { credentials }, address: { url })
            reader = GoogleReader(
                packages: packages,
                expected: .init(audience: SimulatedGooglePlay.audience, account: SimulatedGooglePlay.pushAccount),
                keys: GoogleKeys { "\(url)/certs" },
                api: api
            )
            store = SimulatedGooglePlay(key: key)
            (self.standIn, self.server, self.trouble) = (standIn, server, trouble)
        }

        private static func answer(
            _ request: AnsweringServer.Request,
            _ standIn: GoogleStandIn
        ) -> AnsweringServer.Answer {
            let asked = StandInRequest(
                method: request.method,
                path: request.path,
                authorization: request.header("Authorization"),
                body: Array(request.body.utf8)
            )
            guard let answer = standIn.answer(asked) else { return .init(404) }
            return .init(answer.status, answer.body, headers: answer.headers.map { ($0.name, $0.value) })
        }

        func delivery(
            _ type: String,
            _ facts: SimulatedSubscription = .init(product: "paycast.pro.monthly", lineage: "token.1"),
            puts: Bool = true,
            at now: Instant = GoogleReaderTests.now
        ) throws -> Delivery {
            let delivery = try store.delivery(
                SimulatedEvent(type: type, facts: facts, token: .random(), now: now)
            )
            for document in delivery.documents where puts {
                let request = StandInRequest(method: "PUT", path: document.path, body: document.json)
                #expect(standIn.answer(request)?.status == 200)
            }
            return Delivery(body: delivery.body, authorization: delivery.headers[0].1)
        }
    }

    private final class Trouble: Sendable {
        let answer = Mutex<AnsweringServer.Answer?>(nil)
    }

    @Test func readsThePurchase() throws {
        let stage = try Stage()
        let event = try stage.reader.verify(try stage.delivery("SUBSCRIPTION_PURCHASED"), now: Self.now)
        #expect(event.observation?.snapshot?.state == .active && event.environment == .sandbox)
        #expect(event.observation?.transaction?.price == 9990)
        #expect(event.errands.map(\.detail) == ["subscriptions/paycast.pro.monthly"])
        #expect(event.errands.first?.deadline == Self.now + .seconds(3 * 86_400))
        let again = try stage.reader.verify(try stage.delivery("SUBSCRIPTION_RENEWED"), now: Self.now)
        // The same clock, and yet later: one reading after the other.
        #expect(again.signedAt > event.signedAt)
        #expect(stage.server.requests.filter { $0.path == "/token" }.count == 1)
    }

    @Test(arguments: [ProductKind.subscription, .nonConsumable]) func acknowledges(_ kind: ProductKind) throws {
        let stage = try Stage()
        let type = kind == .subscription ? "SUBSCRIPTION_PURCHASED" : "ONE_TIME_PRODUCT_PURCHASED"
        let facts = SimulatedSubscription(product: "p", kind: kind, lineage: "token.1")
        let delivery = try stage.delivery(type, facts)
        let event = try stage.reader.verify(delivery, now: Self.now)
        let errand = try #require(event.errands.first)
        try stage.api.perform(errand, now: Self.now)
        let answer = stage.standIn.answer(StandInRequest(method: "GET", path: "/errands"))
        let folder = kind == .subscription ? "subscriptions" : "products"
        #expect(
            String(decoding: answer?.body ?? [], as: UTF8.self) == #"{"errands":["acknowledge \#(folder)/p token.1"]}"#
        )
        #expect(try stage.reader.verify(delivery, now: Self.now).errands.isEmpty)
    }

    @Test(arguments: [
        (404, unknownToken, "refused"), (410, "", "refused"), (400, "", "refused"), (403, "", "unauthorized"),
        (404, "", "unavailable"), (404, unknownPackage, "unauthorized"),
        (401, "", "unauthorized"), (408, "", "unavailable"), (409, "", "unavailable"), (429, "", "unavailable"),
        (500, "", "unavailable"), (503, "<html>", "unavailable"),
        (400, #"{"error":{"errors":[{"reason":"alreadyAcknowledged"}]}}"#, ""), (200, "", ""), (204, "", ""),
    ]) func errandIsDoneOrNot(_ status: Int, _ body: String, _ expected: String) throws {
        let stage = try Stage()
        stage.trouble.answer.withLock { $0 = .init(status, body) }
        let errand = Errand(
            kind: .acknowledge,
            provider: .google,
            environment: .sandbox,
            app: "a",
            subject: "secret-token",
            detail: "subscriptions/p"
        )
        var word = ""
        do throws(StoreAPIError) {
            try stage.api.perform(errand, now: Self.now)
        } catch {
            #expect(!error.description.contains("secret-token"))
            switch error {
            case .unavailable: word = "unavailable"
            case .unauthorized: word = "unauthorized"
            case .refused: word = "refused"
            case .unreadable: word = "unreadable"
            }
        }
        #expect(word == expected)
    }

    private static let unknownToken =
        #"{"error":{"errors":[{"reason":"purchaseTokenNotFound","location":"token"}],"code":404}}"#
    private static let unknownPackage =
        #"{"error":{"errors":[{"reason":"applicationNotFound","location":"packageName"}],"code":404}}"#
    private static let invalidToken = #"{"error":{"errors":[{"reason":"invalid"}],"code":400}}"#
    private static let invalidPackage =
        #"{"error":{"errors":[{"reason":"invalid","location":"packageName"}],"code":400}}"#

    /// Down, limited, not entitled, the wrong package, or not Google at all: it is worth asking again. And Google cannot
    /// have forgotten what was bought just now.
    @Test(arguments: [
        AnsweringServer.Answer(500), .init(503), .init(429), .init(401), .init(403), .init(200, "<html>"), .init(418),
        .init(404), .init(404, unknownPackage), .init(400), .init(400, invalidPackage), .init(404, unknownToken),
    ]) func withoutAnAnswerGoogleShallComeBack(_ answer: AnsweringServer.Answer) throws {
        let stage = try Stage()
        let delivery = try stage.delivery("SUBSCRIPTION_PURCHASED")
        stage.trouble.answer.withLock { $0 = answer }
        #expect(throws: VerificationError.storeUnreachable) { try stage.reader.verify(delivery, now: Self.now) }
        stage.trouble.answer.withLock { $0 = nil }
        #expect(try stage.reader.verify(delivery, now: Self.now).observation?.snapshot?.state == .active)
    }

    /// It would answer the same for a week.
    @Test(arguments: [
        (AnsweringServer.Answer(404, unknownToken), "unknown_purchase"), (.init(410), "unknown_purchase"),
        (.init(400, invalidToken), "unknown_purchase"), (.init(200, "{}"), "unreadable_purchase"),
        (.init(200, #"{"subscriptionState":"SUBSCRIPTION_STATE_ACTIVE","lineItems":[]}"#), "unreadable_purchase"),
    ]) func whatCannotSucceedIsKept(_ answer: AnsweringServer.Answer, _ subtype: String) throws {
        let stage = try Stage()
        let delivery = try stage.delivery("SUBSCRIPTION_RENEWED")
        stage.trouble.answer.withLock { $0 = answer }
        let event = try stage.reader.verify(delivery, now: Self.now)
        #expect(event.observation == nil && event.subtype == subtype && event.kind == .subscriptionRenewed)
    }

    /// An hour is time enough; the token of the push has to live as long.
    @Test func oldPurchaseThatIsUnknownIsKept() throws {
        let stage = try Stage()
        var purchase = try stage.delivery("SUBSCRIPTION_PURCHASED")
        stage.trouble.answer.withLock { $0 = .init(404, Self.unknownToken) }
        let later = Self.now + .seconds(3600)
        purchase.authorization = try stage.delivery("SUBSCRIPTION_RENEWED", at: later).authorization
        #expect(try stage.reader.verify(purchase, now: later).subtype == "unknown_purchase")
    }

    @Test func otherPackageIsNotAskedFor() throws {
        let stage = try Stage(packages: .only(["com.example.other"]))
        let delivery = try stage.delivery("SUBSCRIPTION_PURCHASED")
        #expect(throws: VerificationError.wrongApp) { try stage.reader.verify(delivery, now: Self.now) }
        #expect(!stage.server.requests.contains { $0.path.hasPrefix("/androidpublisher") })
    }

    /// The sender is proven before anything of the body is looked at.
    @Test func strangersAreNotAnswered() throws {
        let stage = try Stage()
        var delivery = try stage.delivery("SUBSCRIPTION_PURCHASED")
        delivery.authorization = nil
        #expect(throws: VerificationError.untrusted(.unauthorized)) {
            try stage.reader.verify(delivery, now: Self.now)
        }
        #expect(stage.server.requests.isEmpty)
    }

    @Test func statementIsAnEventOfItsOwn() throws {
        let stage = try Stage()
        _ = try stage.delivery("SUBSCRIPTION_CANCELED")
        var contract = ContractKey(
            provider: .google,
            environment: .sandbox,
            app: SimulatedGooglePlay.package,
            lineage: "token.1"
        )
        let event = try #require(try stage.api.statement(of: contract, now: Self.now))
        #expect(event.observation?.snapshot?.state == .cancelled && event.id.hasPrefix("statement:"))
        #expect(!event.id.contains("token.1"))
        contract.lineage = "../../x?y#z"
        #expect(try stage.api.statement(of: contract, now: Self.now) == nil)
        #expect(stage.server.requests.last?.path.hasSuffix("tokens/..%2F..%2Fx%3Fy%23z") == true)
    }
}
