import Domain
import Simulator

/// What becomes of a user's contracts while a store's events arrive, by the real rules.
struct ContractStory {
    /// What one event did.
    struct Step {
        var event: Event
        var state: ContractState?
        var product: String?
        /// `target=fragment` of what the page was told.
        var fragments: [String]
    }

    var contracts: [ContractKey: Contract] = [:]
    /// As the page has been told of it: what ran out since then shows with the next event.
    private var told: [ContractKey: Holding] = [:]

    /// The standing is nil for an event that is about no contract.
    @discardableResult
    mutating func take(_ event: Event, at now: Instant) -> (step: Step, standing: Standing?) {
        guard let observation = event.statement else { return (Step(event: event, fragments: []), nil) }
        let before = holdings(told.values)
        let key = observation.contract
        var contract = contracts[key] ?? Contract(key: key, kind: observation.kind)
        _ = contract.apply(observation, event: event.id, signedAt: event.signedAt)
        contracts[key] = contract
        let standing = contract.standing(at: now)
        told[key] = standing.map { Holding(of: contract, standing: $0) }
        let announcements = Announcement.announcements(before: before, after: holdings(told.values), contract: key)
        let step = Step(
            event: event,
            state: standing?.state,
            product: standing?.product,
            fragments: announcements.map { "\($0.target.rawValue)=\($0.name.rawValue)" }
        )
        return (step, standing)
    }

    /// Where the only contract stands.
    func standing(at now: Instant) -> Standing? {
        contracts.count == 1 ? contracts.values.first?.standing(at: now) : nil
    }

    func holdings(at now: Instant) -> Holdings {
        holdings(
            contracts.values.compactMap { contract in
                contract.standing(at: now).map { Holding(of: contract, standing: $0) }
            }
        )
    }

    private func holdings(_ held: some Sequence<Holding>) -> Holdings {
        Holdings(user: "42", Array(held), policy: AccessPolicy(sandboxUsers: .all))
    }
}

extension SimulatedSubscription {
    /// The store goes on from here.
    mutating func remember(_ standing: Standing) {
        state = standing.state
        product = standing.product
        pendingProduct = standing.pendingProduct
        accessUntil = standing.accessUntil
        autoRenew = standing.autoRenew ?? true
    }
}
