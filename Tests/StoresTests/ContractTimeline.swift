import Simulator

@testable import Domain

/// What becomes of a user's contracts while a store's events arrive, by the real rules.
struct ContractTimeline {
    /// What one event did.
    struct Step {
        var event: Event
        var state: ContractState?
        var product: String?
        /// `target=fragment` of what the page was sent.
        var fragments: [String]
    }

    var contracts: [ContractKey: Contract] = [:]
    /// What the page shows: what ran out since then disappears with the next event.
    private var shown: [ContractKey: HeldContract] = [:]

    /// The status is nil for an event that is about no contract.
    @discardableResult
    mutating func take(_ event: Event, at now: Instant) -> (step: Step, status: ContractStatus?) {
        guard let observation = event.statement else { return (Step(event: event, fragments: []), nil) }
        let before = entitlements(shown.values)
        let key = observation.contract
        var contract = contracts[key] ?? Contract(key: key, kind: observation.kind)
        _ = contract.apply(observation, event: event.id, signedAt: event.signedAt)
        contracts[key] = contract
        let status = contract.status(at: now)
        shown[key] = status.map { HeldContract(of: contract, status: $0) }
        let announcements = PageChange(
            before: before,
            after: entitlements(shown.values),
            contracts: [key]
        ).announcements
        let step = Step(
            event: event,
            state: status?.state,
            product: status?.product,
            fragments: announcements.map { "\($0.target.rawValue)=\($0.name.rawValue)" }
        )
        return (step, status)
    }

    /// The status of the only contract.
    func status(at now: Instant) -> ContractStatus? {
        contracts.count == 1 ? contracts.values.first?.status(at: now) : nil
    }

    func entitlements(at now: Instant) -> EntitlementSet {
        entitlements(
            contracts.values.compactMap { contract in
                contract.status(at: now).map { HeldContract(of: contract, status: $0) }
            }
        )
    }

    private func entitlements(_ held: some Sequence<HeldContract>) -> EntitlementSet {
        EntitlementSet(user: "42", held: Array(held), policy: AccessPolicy(sandboxUsers: .any))
    }
}

extension SimulatedSubscription {
    /// The store goes on from here.
    mutating func remember(_ status: ContractStatus) {
        state = status.state
        product = status.product
        pendingProduct = status.pendingProduct
        accessUntil = status.accessUntil
        autoRenew = status.autoRenew ?? true
        isTrial = status.isTrial
    }
}
