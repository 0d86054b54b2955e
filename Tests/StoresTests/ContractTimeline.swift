@testable import Domain

/// What becomes of a user's contracts while a store's events arrive, by the real rules.
struct ContractTimeline {
    private(set) var contracts: [ContractKey: Contract] = [:]

    /// Nil for an event that says nothing of a contract's state.
    @discardableResult
    mutating func take(_ event: Event, at now: Instant) -> ContractStatus? {
        guard let observation = event.statement else { return nil }
        let key = observation.contract
        var contract = contracts[key] ?? Contract(key: key, kind: observation.kind)
        _ = contract.apply(observation, event: event.id, signedAt: event.signedAt)
        contracts[key] = contract
        return contract.status(at: now)
    }

    /// The status of the only contract.
    func status(at now: Instant) -> ContractStatus? {
        contracts.count == 1 ? contracts.values.first?.status(at: now) : nil
    }

    func entitlements(at now: Instant) -> EntitlementSet {
        let held = contracts.values.compactMap { contract in
            contract.status(at: now).map { HeldContract(of: contract, status: $0) }
        }
        return EntitlementSet(user: "42", held: held, policy: AccessPolicy(sandboxUsers: .any))
    }
}

func permutations<Item>(_ items: [Item]) -> [[Item]] {
    guard let first = items.first else { return [[]] }
    return permutations(Array(items.dropFirst())).flatMap { rest in
        (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
    }
}
