import Crypto
import Domain
import Testing

@testable import Simulator
@testable import Stores

@Suite struct SimulatedGooglePlayTests {
    private static let now = Instant(milliseconds: 1_767_225_600_000)
    private static let key = Result { try RSAPrivateKey.generate() }

    private func delivery(_ type: String, id: String? = nil) throws -> SimulatedDelivery {
        let kind: ProductKind = type.hasPrefix("ONE_TIME") ? .nonConsumable : .subscription
        let facts = SimulatedSubscription(product: "paycast.pro.monthly", kind: kind, lineage: "2000")
        let event = SimulatedEvent(type: type, facts: facts, token: .random(), now: Self.now, id: id)
        return try SimulatedGooglePlay(key: try Self.key.get()).delivery(event)
    }

    @Test(arguments: SimulatedGooglePlay.types) func everyTypeIsRead(_ type: String) throws {
        let delivery = try delivery(type)
        let notification = GoogleNotification(delivery.body)
        #expect(notification.package == SimulatedGooglePlay.package)
        // A void is known by its charge.
        #expect(type == "VOIDED_PURCHASE" ? delivery.event.hasPrefix("void:GPA.") : notification.id == delivery.event)
        let event = notification.event(GoogleReading(), body: delivery.body, now: Self.now)
        #expect(event.type == type && event.kind != .providerUnknown)
        #expect(delivery.path == "/webhooks/google")
        #expect(delivery.documents.allSatisfy { $0.path.contains("/purchases/") })
    }

    @Test func numbersAndIDs() throws {
        let delivery = try delivery("4", id: "7")
        let event = GoogleNotification(delivery.body).event(GoogleReading(), body: delivery.body, now: Self.now)
        #expect(event.type == "SUBSCRIPTION_PURCHASED" && event.id == "7")
        #expect(try self.delivery("4").event != self.delivery("4").event)
    }

    struct Question: Sendable {
        var method = "GET"
        var path = "/androidpublisher/v3/applications/a/purchases/subscriptionsv2/tokens/t"
        var authorization: String? = "Bearer x"
        var body = "{}"
        /// Nil: not an address of Google's.
        var status: Int?
    }

    @Test(arguments: [
        Question(status: 401), Question(authorization: nil, status: 401), Question(path: "/v1/other"),
        Question(method: "PUT", body: "no JSON", status: 400), Question(method: "PUT", status: 200),
        Question(path: "/certs", status: 200), Question(method: "POST", path: "/token", body: "", status: 400),
        Question(path: "/jobs", status: 200),
        Question(
            method: "POST",
            path: "/token",
            body: "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=a.b.c",
            status: 400
        ),
    ]) func standInAnswers(_ question: Question) throws {
        let request = StandInRequest(
            method: question.method,
            path: question.path,
            authorization: question.authorization,
            body: Array(question.body.utf8)
        )
        #expect(GoogleStandIn(key: try Self.key.get()).answer(request)?.status == question.status)
    }
}
