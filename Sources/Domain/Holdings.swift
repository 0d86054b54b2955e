/// One contract of a user, as a page may show it.
public struct Holding: Sendable, Equatable {
    public var contract: ContractKey
    public var kind: ProductKind
    public var group: String?
    /// Within its group the higher one speaks for the user.
    public var level: Int
    /// What pages call the product; nil when the catalogue does not name it.
    public var name: String?
    public var order: OrderToken?
    public var price: Int64?
    public var currency: String?
    /// Of a consumable.
    public var quantity: Int?
    public var isFamilyShared: Bool
    /// The contract of the same store that this one took the place of.
    public var replaces: ContractKey?
    /// When its newest charge was made: the same whenever the store is asked, unlike the date of its statement.
    public var boughtAt: Instant?
    public var standing: Standing
    /// In which levels are compared: the catalogue's group, which may span stores, else the store's.
    fileprivate var levelGroup: String?

    public init(of contract: Contract, standing: Standing, catalog: Catalog = Catalog()) {
        let product = catalog[standing.product]
        let charge = contract.transaction?.transaction
        self.contract = contract.key
        kind = contract.kind
        group = contract.group?.value ?? product?.group
        levelGroup = product?.group ?? contract.group?.value
        level = product?.level ?? 0
        name = product?.name
        order = contract.token?.value
        price = charge?.price
        currency = charge?.currency
        quantity = contract.kind == .consumable ? charge?.quantity ?? 1 : nil
        isFamilyShared = contract.isFamilyShared
        if contract.hasBegun, standing.state != .pending, let previous = contract.previousLineage?.value {
            replaces = contract.key
            replaces?.lineage = previous
        }
        boughtAt = charge?.purchasedAt
        self.standing = standing
    }
}

/// The union of what a user holds. A page shows the union, never one contract.
public struct Holdings: Sendable, Equatable {
    public let user: UserID
    /// The ones that speak for the user first. Groups are compared by their best: a comparison that looks at levels
    /// between members of one group only would have no well-defined maximum.
    ///
    /// Left out, so that they change nothing on a page: Sandbox contracts that the policy does not honour, and
    /// contracts that another one of the user has replaced (Google's `linkedPurchaseToken`).
    public let ranked: [Holding]

    public init(user: UserID, _ holdings: [Holding], policy: AccessPolicy) {
        self.user = user
        let replaced = Set(holdings.compactMap { $0.replaces == $0.contract ? nil : $0.replaces })
        ranked = Holdings.ranked(
            holdings.filter {
                policy.opensAccess(for: user, in: $0.contract.environment) && !replaced.contains($0.contract)
            }
        )
    }

    public var isActive: Bool { ranked.contains { $0.standing.isActive } }

    /// The contract that speaks for the user: access first, then a purchase that waits, then the longest reach; an own
    /// one before a shared one. Within a group the highest level comes before the reach. Consumables never do: they
    /// were handed over.
    public var winner: Holding? { ranked.first { $0.kind != .consumable } }

    private static func ranked(_ holdings: [Holding]) -> [Holding] {
        let lasting = holdings.filter { $0.kind != .consumable }
        var groups = Dictionary(grouping: lasting.filter { $0.levelGroup != nil }) { $0.levelGroup ?? "" }
            .map { $0.value.sorted { Holding.isBetterInGroup($0, than: $1) } }
        groups += lasting.filter { $0.levelGroup == nil }.map { [$0] }
        groups.sort { left, right in
            guard let left = left.first, let right = right.first else { return false }
            return Holding.isBetter(left, than: right)
        }
        let consumables = holdings.filter { $0.kind == .consumable }.sorted { Holding.isBetter($0, than: $1) }
        return groups.flatMap { $0 } + consumables
    }

    public subscript(contract: ContractKey) -> Holding? {
        ranked.first { $0.contract == contract }
    }

    /// What goes on under another id: the same charge, so that nobody has bought anything (Apple's MIGRATION).
    func migrated(to holding: Holding) -> Holding? {
        guard let previous = holding.replaces.flatMap({ self[$0] }), previous.boughtAt != nil,
            previous.boughtAt == holding.boughtAt
        else { return nil }
        return previous
    }
}

extension Holding {
    fileprivate static func isBetterInGroup(_ left: Holding, than right: Holding) -> Bool {
        guard left.rank == right.rank else { return left.rank > right.rank }
        if left.standing.isActive, left.level != right.level { return left.level > right.level }
        return isBetter(left, than: right)
    }

    fileprivate static func isBetter(_ left: Holding, than right: Holding) -> Bool {
        guard left.rank == right.rank else { return left.rank > right.rank }
        guard left.isAddition == right.isAddition else { return right.isAddition }
        guard left.reach == right.reach else { return left.reach > right.reach }
        guard left.isFamilyShared == right.isFamilyShared else { return right.isFamilyShared }
        guard left.boughtAt == right.boughtAt else { return left.boughtAt ?? .never > right.boughtAt ?? .never }
        return left.contract.sortText > right.contract.sortText
    }

    /// Bought beside something else, which speaks for the user.
    private var isAddition: Bool { contract.purchase != nil }

    private var rank: Int {
        standing.isActive ? 2 : standing.state == .pending ? 1 : 0
    }

    private var reach: Instant {
        standing.accessUntil ?? (standing.isActive ? Instant(milliseconds: .max) : .never)
    }
}

extension Instant {
    /// Before all others: a purchase that was dropped before it was paid has no reach.
    fileprivate static let never = Instant(milliseconds: .min)
}

extension ContractKey {
    /// Only for a choice that must always come out the same.
    fileprivate var sortText: String { "\(provider.rawValue)/\(environment.rawValue)/\(app)/\(lineage)" }
}
