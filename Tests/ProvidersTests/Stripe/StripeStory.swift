import Domain
import Providers
import Simulator
import Testing

/// What Stripe says of one purchase, event by event, through the real signature and the real rules of a contract.
struct StripeStory {
    static let start = Instant(milliseconds: 1_767_225_600_000)
    static let secret = "whsec_test"

    /// What one event did.
    struct Step {
        var event: Event
        var state: ContractState?
        var product: String?
        /// `target=fragment` of what the page was told.
        var fragments: [String]
    }

    var now = StripeStory.start
    var facts: SimulatedSubscription
    var contracts: [ContractKey: Contract] = [:]
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
    mutating func say(_ words: String, after pause: Duration = .seconds(60)) throws -> Step {
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
    mutating func take(_ event: Event) throws -> Step {
        guard let observation = event.observation else { return Step(event: event, fragments: []) }
        let before = holdings
        let key = observation.contract
        var contract = contracts[key] ?? Contract(key: key, kind: observation.kind)
        _ = contract.apply(observation, event: event.id, signedAt: event.signedAt)
        contracts[key] = contract
        let standing = contract.standing(at: now)
        if let standing, key.lineage == facts.lineage || facts.kind != .subscription { remember(standing) }
        let announcements = Announcement.announcements(before: before, after: holdings, contract: key)
        return Step(
            event: event,
            state: standing?.state,
            product: standing?.product,
            fragments: announcements.map { "\($0.target.rawValue)=\($0.name.rawValue)" }
        )
    }

    var holdings: Holdings {
        let held = contracts.values.compactMap { contract in
            contract.standing(at: now).map { Holding(of: contract, standing: $0) }
        }
        return Holdings(user: "42", held, policy: AccessPolicy(sandboxUsers: .all))
    }

    private mutating func remember(_ standing: Standing) {
        facts.state = standing.state
        facts.product = standing.product
        facts.pendingProduct = standing.pendingProduct
        facts.accessUntil = standing.accessUntil
        facts.autoRenew = standing.autoRenew ?? true
    }
}
