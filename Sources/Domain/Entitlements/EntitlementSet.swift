/// The union of what a user holds. A page shows the union, never one contract.
public struct EntitlementSet: Sendable, Equatable {
    public let user: UserID
    /// The contracts, with those that speak for the user first.
    ///
    /// Two kinds of contracts are left out, so that they change nothing on a page: Sandbox contracts that the policy
    /// does not honor, and contracts that another of the user's contracts has replaced.
    public let ranked: [HeldContract]
    /// What the user holds of each entitlement of the catalog, the main one first.
    public let entitlements: [Entitlement]

    public init(user: UserID, held contracts: [HeldContract], policy: AccessPolicy) {
        self.user = user
        let honoured = contracts.filter { policy.opensAccess(for: user, in: $0.contract.environment) }
        let ranked = honoured.unreplaced.ranked
        self.ranked = ranked
        let names = policy.catalog.entitlements
        // Who sells one thing pays for one ranking.
        let isUndivided = names.count == 1 && ranked.allSatisfy { $0.opens == names }
        entitlements = names.map { name in
            Entitlement(
                name,
                opened: isUndivided ? ranked : ranked.filter { $0.opens.contains(name) }.ranked
            )
        }
    }

    /// A catalog has at least one.
    public var main: Entitlement { entitlements[0] }

    /// Whether the main entitlement gives access.
    public var isActive: Bool { main.isActive }

    /// As the API reports them, the main one first.
    public var summaries: [EntitlementSummary] { entitlements.map(\.summary) }

    public subscript(contract: ContractKey) -> HeldContract? {
        ranked.first { $0.contract == contract }
    }
}

/// A user's level of access, because of the contracts that open it. No other contract has a part in it.
public struct Entitlement: Sendable, Equatable {
    public let name: EntitlementName
    /// The contracts that open it, or did, with those that speak for the user first.
    public let contracts: [HeldContract]

    fileprivate init(_ name: EntitlementName, opened contracts: [HeldContract]) {
        self.name = name
        self.contracts = contracts
    }

    public var isActive: Bool { contracts.contains { $0.status.isActive } }

    /// The contract that speaks for the user.
    public var winner: HeldContract? { contracts.first }

    /// When access ends, or ended: the longest of all. Nil if it does not end, or never began.
    public var accessUntil: Instant? {
        let running = contracts.filter(\.status.isActive)
        guard !running.isEmpty else { return winner?.status.accessUntil }
        return running.contains { $0.status.accessUntil == nil } ? nil : running.compactMap(\.status.accessUntil).max()
    }

    subscript(contract: ContractKey) -> HeldContract? { contracts.first { $0.contract == contract } }

    /// The contract that goes on as `heldContract` under another id: the charge is the same, so nobody has bought anything
    /// (Apple's MIGRATION).
    func migrated(to heldContract: HeldContract) -> HeldContract? {
        guard let previous = heldContract.replaces.flatMap({ self[$0] }), previous.boughtAt != nil,
            previous.boughtAt == heldContract.boughtAt
        else { return nil }
        return previous
    }
}

/// One entitlement as the API reports it, and as an entry keeps it: what the contract that speaks for the user says.
public struct EntitlementSummary: Sendable, Equatable {
    public var name: EntitlementName
    public var isActive: Bool
    /// Nil, as all that follows, for a user who never had it.
    public var state: ContractState?
    public var product: String?
    /// When access ends, of all contracts that open it.
    public var accessUntil: Instant?
    public var autoRenew: Bool?
    /// When the free trial ends; nil without one.
    public var trialEndsAt: Instant?
    public var provider: Provider?
    public var store: String?

    public init(_ name: EntitlementName, isActive: Bool) {
        self.name = name
        self.isActive = isActive
    }
}

extension Entitlement {
    public var summary: EntitlementSummary {
        var summary = EntitlementSummary(name, isActive: isActive)
        guard let winner else { return summary }
        summary.state = winner.status.state
        summary.product = winner.status.product
        summary.accessUntil = accessUntil
        summary.autoRenew = winner.status.autoRenew
        summary.trialEndsAt = winner.status.trialEndsAt
        summary.provider = winner.contract.provider
        summary.store = winner.store
        return summary
    }
}
