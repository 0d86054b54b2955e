/// One contract of a user, as a page may show it.
public struct HeldContract: Sendable, Equatable {
    public var contract: ContractKey
    public var kind: ProductKind
    public var group: String?
    /// Within its group, the held contract with the higher level speaks for the user.
    public var level: Int
    /// The product's name on pages; nil when the catalog does not name it.
    public var name: String?
    public var order: OrderToken?
    public var price: Int64?
    public var currency: String?
    /// How many of a consumable were bought; nil for every other kind.
    public var quantity: Int?
    public var isFamilyShared: Bool
    /// The contract at the same store that this one replaced.
    public var replaces: ContractKey?
    /// When its newest charge was made. Unlike the date of a statement, it is the same whenever the store is asked.
    public var boughtAt: Instant?
    public var status: ContractStatus
    /// The group in which levels are compared: the catalog's, which may span stores, or else the store's.
    fileprivate var levelGroup: String?

    public init(of contract: Contract, status: ContractStatus, catalog: Catalog = Catalog()) {
        let product = catalog[status.product]
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
        if contract.hasBegun, status.state != .pending, let previous = contract.previousLineage?.value {
            replaces = contract.key.with(lineage: previous)
        }
        boughtAt = charge?.purchasedAt
        self.status = status
    }
}

/// The union of what a user holds. A page shows the union, never one contract.
public struct EntitlementSet: Sendable, Equatable {
    public let user: UserID
    /// The contracts, with those that speak for the user first. Groups are compared by their best member: a comparison
    /// that looked at levels only between members of the same group would have no well-defined maximum.
    ///
    /// Two kinds of contracts are left out, so that they change nothing on a page: Sandbox contracts that the policy
    /// does not honor, and contracts that another of the user's contracts has replaced (Google's
    /// `linkedPurchaseToken`).
    public let ranked: [HeldContract]

    public init(user: UserID, held entitlements: [HeldContract], policy: AccessPolicy) {
        self.user = user
        let replaced = Set(entitlements.compactMap { $0.replaces == $0.contract ? nil : $0.replaces })
        ranked = EntitlementSet.ranked(
            entitlements.filter {
                policy.opensAccess(for: user, in: $0.contract.environment) && !replaced.contains($0.contract)
            }
        )
    }

    public var isActive: Bool { ranked.contains { $0.status.isActive } }

    /// The contract that speaks for the user. A contract that gives access comes first, then a pending purchase, then
    /// what a store says, and last a grant that is over. Among equals, an addition to another purchase comes last; then
    /// the longest reach wins, then the user's own contract before a shared one. Within a group, the highest level comes
    /// before the reach. Consumables never speak for the user: they were handed over.
    public var winner: HeldContract? { ranked.first { $0.kind != .consumable } }

    private static func ranked(_ entitlements: [HeldContract]) -> [HeldContract] {
        let lasting = entitlements.filter { $0.kind != .consumable }
        var groups = Dictionary(grouping: lasting.filter { $0.levelGroup != nil }) { $0.levelGroup ?? "" }
            .map { $0.value.sorted { HeldContract.isBetterInGroup($0, than: $1) } }
        groups += lasting.filter { $0.levelGroup == nil }.map { [$0] }
        groups.sort { left, right in
            guard let left = left.first, let right = right.first else { return false }
            return HeldContract.isBetter(left, than: right)
        }
        let consumables = entitlements.filter { $0.kind == .consumable }.sorted { HeldContract.isBetter($0, than: $1) }
        return groups.flatMap { $0 } + consumables
    }

    /// The contracts by their keys, to look many of them up.
    var contracts: [ContractKey: HeldContract] {
        Dictionary(ranked.map { ($0.contract, $0) }) { first, _ in first }
    }

    public subscript(contract: ContractKey) -> HeldContract? {
        ranked.first { $0.contract == contract }
    }

    /// The contract that goes on as `heldContract` under another id: the charge is the same, so nobody has bought anything
    /// (Apple's MIGRATION).
    func migrated(to heldContract: HeldContract) -> HeldContract? {
        guard let previous = heldContract.replaces.flatMap({ self[$0] }), previous.boughtAt != nil,
            previous.boughtAt == heldContract.boughtAt
        else { return nil }
        return previous
    }
}

extension HeldContract {
    fileprivate static func isBetterInGroup(_ left: HeldContract, than right: HeldContract) -> Bool {
        guard left.rank == right.rank else { return left.rank > right.rank }
        if left.status.isActive, left.level != right.level { return left.level > right.level }
        return isBetter(left, than: right)
    }

    fileprivate static func isBetter(_ left: HeldContract, than right: HeldContract) -> Bool {
        guard left.rank == right.rank else { return left.rank > right.rank }
        guard left.isAddition == right.isAddition else { return right.isAddition }
        guard left.reach == right.reach else { return left.reach > right.reach }
        guard left.isFamilyShared == right.isFamilyShared else { return right.isFamilyShared }
        guard left.boughtAt == right.boughtAt else { return left.boughtAt ?? .never > right.boughtAt ?? .never }
        return left.contract.sortText > right.contract.sortText
    }

    /// True when it was bought together with something else, which speaks for the user.
    private var isAddition: Bool { contract.purchase != nil }

    private var rank: Int {
        if status.isActive { return 3 }
        if status.state == .pending { return 2 }
        // What a store says may have to be mended, as a failed charge has; what is over here asks nothing of the user.
        return contract.provider == .paycast ? 0 : 1
    }

    private var reach: Instant {
        status.accessUntil ?? (status.isActive ? Instant(milliseconds: .max) : .never)
    }
}

extension Instant {
    /// Earlier than any other instant: a purchase that was dropped before it was paid has no reach.
    fileprivate static let never = Instant(milliseconds: .min)
}

extension ContractKey {
    /// Used only to make a choice deterministic.
    fileprivate var sortText: String { "\(provider.rawValue)/\(environment.rawValue)/\(app)/\(lineage)" }
}

/// One contract as the API reports it: what a user holds, or held.
public struct Entitlement: Sendable, Equatable {
    public var product: String
    public var group: String?
    public var state: ContractState
    public var isActive: Bool
    public var accessUntil: Instant?
    public var autoRenew: Bool?
    /// When the free trial ends; nil if it is none.
    public var trialEndsAt: Instant?
    public var pendingProduct: String?
    public var provider: Provider
    public var environment: StoreEnvironment
    /// The store's lineage id.
    public var contract: String
    public var isFamilyShared: Bool
    /// How many of a consumable were handed over; nil for everything else.
    public var quantity: Int?
}

extension HeldContract {
    /// As the API reports it. `isHonoured` is false for what gives no access by the policy.
    public func entitlement(isHonoured: Bool) -> Entitlement {
        Entitlement(
            product: status.product,
            group: group,
            state: status.state,
            isActive: status.isActive && isHonoured,
            accessUntil: status.accessUntil,
            autoRenew: status.autoRenew,
            trialEndsAt: status.trialEndsAt,
            pendingProduct: status.pendingProduct,
            provider: contract.provider,
            environment: contract.environment,
            contract: contract.lineage,
            isFamilyShared: isFamilyShared,
            quantity: quantity
        )
    }
}
