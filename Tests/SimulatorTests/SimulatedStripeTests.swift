import Crypto
import Domain
import Encoding
import Stores
import Testing

@testable import Simulator

@Suite struct SimulatedStripeTests {
    private static let now = Instant(milliseconds: 1_767_225_600_000)
    private let store = SimulatedStripe(secret: "whsec_test")

    private func event(_ type: String, kind: ProductKind = .subscription, id: String? = nil) -> SimulatedEvent {
        SimulatedEvent(
            type: type,
            facts: SimulatedSubscription(product: "paycast.pro.monthly", kind: kind, lineage: "2000"),
            token: .random(),
            now: Self.now,
            id: id
        )
    }

    @Test(arguments: SimulatedStripe.types, [ProductKind.subscription, .nonConsumable])
    func everyTypeIsBelieved(_ type: String, kind: ProductKind) throws {
        let delivery = try store.delivery(event(type, kind: kind))
        let verifier = try #require(StripeVerifier(secrets: ["whsec_test"]))
        let posted = Delivery(body: delivery.body, signature: delivery.headers[0].1)
        let event = try verifier.verify(posted, now: Self.now)
        #expect(event.type == type && event.id == delivery.event && event.environment == .sandbox)
        #expect(delivery.path == "/webhooks/stripe" && delivery.documents.allSatisfy { $0.path.hasPrefix("/v1/") })
    }

    @Test func sameIDIsARetry() throws {
        #expect(try store.delivery(event("customer.subscription.created", id: "evt_1")).event == "evt_1")
        let events = try (0..<2).map { _ in try store.delivery(event("customer.subscription.created")).event }
        #expect(events[0] != events[1])
    }

    /// https://docs.stripe.com/webhooks#verify-manually
    @Test func signatureIsTheDocumentedOne() {
        let code = HMAC.authenticate(Array("1767225600.{}".utf8), key: Array("whsec_test".utf8))
        #expect(store.signature(of: Array("{}".utf8), at: Self.now) == "t=1767225600,v1=\(Hex.encode(code))")
    }

    @Test(arguments: [
        (ProductKind.subscription, "2000", "sub_2000"), (.nonConsumable, "2000", "pi_2000"),
        (.subscription, "sub_1", "sub_1"), (.consumable, "pi_1", "pi_1"),
    ]) func lineageLooksLikeStripes(_ kind: ProductKind, number: String, id: String) {
        #expect(SimulatedStripe.lineage(of: SimulatedSubscription(product: "p", kind: kind, lineage: number)) == id)
    }

    struct Question: Sendable {
        var method = "GET"
        var path = "/v1/subscriptions/sub_1"
        var authorization: String? = "Bearer rk_test_1"
        var body = "{}"
        /// Nil: not an address of Stripe's.
        var status: Int?
    }

    @Test(arguments: [
        Question(status: 404), Question(authorization: nil, status: 401),
        Question(authorization: "Basic eDp5", status: 401), Question(path: "/v1/customers/cus_1"),
        Question(method: "DELETE", status: 405), Question(method: "PUT", body: "no JSON", status: 400),
        Question(method: "PUT", authorization: nil, status: 200),
    ]) func standInAnswers(_ question: Question) {
        let request = StandInRequest(
            method: question.method,
            path: question.path,
            authorization: question.authorization,
            body: Array(question.body.utf8)
        )
        #expect(StripeStandIn().answer(request)?.status == question.status)
    }

    @Test func standInIsNotFilledUp() {
        let standIn = StripeStandIn()
        let answers = (0...10_000).map { number in
            standIn.answer(StandInRequest(method: "PUT", path: "/v1/charges/\(number)", body: Array("{}".utf8)))?.status
        }
        #expect(answers.dropLast().allSatisfy { $0 == 200 } && answers.last == 507)
    }
}
