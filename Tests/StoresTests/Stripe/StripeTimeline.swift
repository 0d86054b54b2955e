import Domain
import Stores
import Testing

@testable import Simulator

/// What Stripe says of one purchase, event by event, through the real signature and the real rules of a contract.
struct StripeTimeline: StoreTimeline {
    static let start = Instant(milliseconds: 1_767_225_600_000)
    static let secret = "whsec_test"

    var now = StripeTimeline.start
    var facts: SimulatedSubscription
    var contractTimeline = ContractTimeline()
    let token = OrderToken.random()
    private let store: SimulatedStripe
    private let verifier: StripeVerifier

    init(
        _ facts: SimulatedSubscription = SimulatedSubscription(product: "paycast.pro.monthly", lineage: "sub_1"),
        shape: SimulatedStripe.Shape = .current,
        catalog: Catalog = Catalog()
    ) throws {
        self.facts = facts
        store = SimulatedStripe(secret: StripeTimeline.secret, shape: shape)
        verifier = try #require(StripeVerifier(secrets: [StripeTimeline.secret], catalog: catalog))
    }

    func event(_ words: String) throws -> Event {
        let parts = words.split(separator: "/").map(String.init)
        let asked = SimulatedEvent(
            type: parts[0],
            subtype: parts.count > 1 ? parts[1] : nil,
            facts: facts,
            user: "42",
            token: token,
            now: now
        )
        let delivery = try store.delivery(asked)
        return try verifier.verify(Delivery(body: delivery.body, signature: delivery.headers[0].1), now: now)
    }

    @discardableResult
    mutating func take(_ event: Event) throws -> ContractTimeline.Step {
        let (step, status) = contractTimeline.take(event, at: now)
        let isOfFacts = event.observation?.contract.lineage == facts.lineage || facts.kind != .subscription
        if let status, isOfFacts { facts.remember(status) }
        return step
    }
}
