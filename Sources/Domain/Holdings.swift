/// One contract of a user, as a page may show it.
public struct Holding: Sendable, Equatable {
    public var contract: ContractKey
    public var kind: ProductKind
    public var group: String?
    public var order: OrderToken?
    public var price: Int64?
    public var currency: String?
    public var isFamilyShared: Bool
    /// Date of the store's newest statement.
    public var statedAt: Instant
    public var standing: Standing

    public init(of contract: Contract, standing: Standing) {
        self.contract = contract.key
        kind = contract.kind
        group = contract.group?.value
        order = contract.token?.value
        price = contract.transaction?.transaction.price
        currency = contract.transaction?.transaction.currency
        isFamilyShared = contract.isFamilyShared
        statedAt = contract.statedAt
        self.standing = standing
    }
}

/// The union of what a user holds. A page shows the union, never one contract.
public struct Holdings: Sendable, Equatable {
    public let user: String
    /// Sandbox contracts that the policy does not honour are left out: they change nothing on a page.
    public private(set) var honoured: [Holding]

    public init(user: String, _ holdings: [Holding], policy: AccessPolicy) {
        self.user = user
        honoured = holdings.filter { policy.opensAccess(for: user, in: $0.contract.environment) }
    }

    public var isActive: Bool { honoured.contains { $0.standing.isActive } }

    /// The contract that speaks for the user: access first, then a purchase that waits, then the longest reach; an own
    /// one before a shared one. Consumables never do: they were handed over.
    public var winner: Holding? {
        honoured.filter { $0.kind != .consumable }.max(by: Holding.yields)
    }

    /// All that are honoured, the ones that speak for the user first.
    public var ranked: [Holding] {
        honoured.sorted { Holding.yields($1, to: $0) }
    }

    public subscript(contract: ContractKey) -> Holding? {
        honoured.first { $0.contract == contract }
    }
}

extension Holding {
    fileprivate static func yields(_ left: Holding, to right: Holding) -> Bool {
        guard left.rank == right.rank else { return left.rank < right.rank }
        guard left.reach == right.reach else { return left.reach < right.reach }
        guard left.isFamilyShared == right.isFamilyShared else { return left.isFamilyShared }
        guard left.statedAt == right.statedAt else { return left.statedAt < right.statedAt }
        return left.contract.sortText < right.contract.sortText
    }

    private var rank: Int {
        standing.isActive ? 2 : standing.state == .pending ? 1 : 0
    }

    private var reach: Instant {
        standing.accessUntil ?? (standing.isActive ? Instant(milliseconds: .max) : statedAt)
    }
}

extension ContractKey {
    /// Only for a choice that must always come out the same.
    fileprivate var sortText: String { "\(provider.rawValue)/\(environment.rawValue)/\(app)/\(lineage)" }
}
