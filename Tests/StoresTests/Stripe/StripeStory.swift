import Domain
import Simulator
import StoreInterface
import StripeStore
import Testing

/// What Stripe says of one purchase, event by event, through the real signature and the real rules of a contract.
struct StripeStory {
    static let start = Instant(milliseconds: 1_767_225_600_000)
    static let secret = "whsec_test"

    var now = StripeStory.start
    var facts: SimulatedSubscription
    private var story = ContractStory()
    let token = OrderToken.random()
    private let store: SimulatedStripe
    private let verifier: StripeVerifier

    init(
        _ facts: SimulatedSubscription = SimulatedSubscription(product: "paycast.pro.monthly", lineage: "sub_1"),
        shape: SimulatedStripe.Shape = .current,
        catalog: Catalog = Catalog()
    ) throws {
        self.facts = facts
        store = SimulatedStripe(secret: StripeStory.secret, shape: shape)
        verifier = try #require(StripeVerifier(secrets: [StripeStory.secret], catalog: catalog))
    }

    /// `type/subtype`, a minute after the last event.
    @discardableResult
    mutating func say(_ words: String, after pause: Duration = .seconds(60)) throws -> ContractStory.Step {
        now = now + pause
        return try take(try event(words))
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
    mutating func take(_ event: Event) throws -> ContractStory.Step {
        let (step, status) = story.take(event, at: now)
        let isOfFacts = event.observation?.contract.lineage == facts.lineage || facts.kind != .subscription
        if let status, isOfFacts { facts.remember(status) }
        return step
    }

    var entitlements: EntitlementSet { story.entitlements(at: now) }
    var contracts: [ContractKey: Contract] {
        get { story.contracts }
        set { story.contracts = newValue }
    }
}
