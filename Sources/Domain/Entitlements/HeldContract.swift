/// One contract of a user, as a page may show it.
public struct HeldContract: Sendable, Equatable {
    public var contract: ContractKey
    public var kind: ProductKind
    /// The entitlements that it opens, in the catalog's order; empty for a consumable, for a product of which nobody has said
    /// what it opens, and for a rental of which nobody has said how long it lasts.
    public var opens: [EntitlementName]
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
    /// The store that sold it, which another one may tell of.
    public var store: String
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
        let isUnnamedRental = charge.map { catalog.isUnnamedRental($0) } ?? false
        opens =
            isUnnamedRental
            ? []
            : catalog.opened(
                by: status.product,
                kind: contract.kind,
                at: contract.key.provider,
                stated: contract.entitlements?.value
            )
        group = contract.group?.value ?? product?.group
        levelGroup = product?.group ?? contract.group?.value
        level = product?.level ?? 0
        name = product?.name?.text
        order = contract.token?.value
        price = charge?.price
        currency = charge?.currency
        quantity = contract.kind == .consumable ? charge?.quantity ?? 1 : nil
        isFamilyShared = contract.isFamilyShared
        store = contract.store ?? contract.key.provider.rawValue
        if contract.hasBegun, status.state != .pending, let previous = contract.previousLineage?.value {
            replaces = contract.key.with(lineage: previous)
        }
        boughtAt = charge?.purchasedAt
        self.status = status
    }
}

extension [HeldContract] {
    /// Without those that another of them has replaced (Google's `linkedPurchaseToken`): they change nothing on a page.
    var unreplaced: [HeldContract] {
        let replaced = Set(compactMap { $0.replaces == $0.contract ? nil : $0.replaces })
        return replaced.isEmpty ? self : filter { !replaced.contains($0.contract) }
    }

    /// The contracts with those that speak for the user first. Groups are compared by their best member: a comparison that
    /// looked at levels only between members of the same group would have no well-defined maximum. Consumables come last.
    var ranked: [HeldContract] {
        let lasting = filter { $0.kind != .consumable }
        let order = Precedence(isRenewed: lasting.contains { $0.renews && $0.status.isActive && !$0.status.isPausing })
        var groups = Dictionary(grouping: lasting.filter { $0.levelGroup != nil }) { $0.levelGroup ?? "" }
            .map { $0.value.sorted(by: order.isBetterInGroup) }
        groups += lasting.filter { $0.levelGroup == nil }.map { [$0] }
        groups.sort { left, right in
            guard let left = left.first, let right = right.first else { return false }
            return order.isBetter(left, right)
        }
        let consumables = filter { $0.kind == .consumable }.sorted(by: order.isBetter)
        return groups.flatMap { $0 } + consumables
    }

    /// By their keys, to look many of them up.
    var byKey: [ContractKey: HeldContract] { Dictionary(map { ($0.contract, $0) }) { first, _ in first } }
}

/// Which of two contracts speaks for the user.
private struct Precedence {
    /// Whether something of a store renews by itself. Then no grant that ends says when access does: without it the pages would
    /// tell of the renewal, and it takes nothing away.
    let isRenewed: Bool

    func isBetterInGroup(_ left: HeldContract, _ right: HeldContract) -> Bool {
        guard left.rank == right.rank else { return left.rank > right.rank }
        if left.status.isActive, left.level != right.level { return left.level > right.level }
        return reachesFurther(left, right)
    }

    /// A contract that gives access comes first, then a pending purchase, then what a store says, and last a grant that is
    /// over. Among equals, what waits for another card comes first, because its buyer can still mend it, and an addition to
    /// another purchase last; then the longest reach wins, then the user's own contract before a shared one. Within a group,
    /// of which one product is active at a time, the highest level comes before the reach.
    func isBetter(_ left: HeldContract, _ right: HeldContract) -> Bool {
        guard left.rank == right.rank else { return left.rank > right.rank }
        guard left.isAddition == right.isAddition else { return right.isAddition }
        guard left.waitsForCard == right.waitsForCard else { return left.waitsForCard }
        return reachesFurther(left, right)
    }

    private func reachesFurther(_ left: HeldContract, _ right: HeldContract) -> Bool {
        guard left.isAddition == right.isAddition else { return right.isAddition }
        if isRenewed, left.isPassing != right.isPassing { return right.isPassing }
        guard left.reach == right.reach else { return left.reach > right.reach }
        guard left.isFamilyShared == right.isFamilyShared else { return right.isFamilyShared }
        guard left.boughtAt == right.boughtAt else { return left.boughtAt ?? .never > right.boughtAt ?? .never }
        return left.contract.sortText > right.contract.sortText
    }
}

extension HeldContract {
    /// Whether its store charges for the next period by itself.
    var renews: Bool {
        kind == .subscription && contract.provider != .paycast && status.autoRenew != false
            && (status.state == .active || status.state == .inGracePeriod)
    }

    /// A grant that ends.
    fileprivate var isPassing: Bool { contract.provider == .paycast && status.endsAt != nil }

    /// True when it was bought together with something else, which speaks for the user.
    fileprivate var isAddition: Bool { contract.purchase != nil }

    /// The buyer of a shared contract is somebody else.
    fileprivate var waitsForCard: Bool { status.state == .inGracePeriod && !isFamilyShared }

    fileprivate var rank: Int {
        if status.isActive { return 3 }
        if status.state == .pending { return 2 }
        // What a store says may have to be mended, as a failed charge has; what is over here asks nothing of the user.
        return contract.provider == .paycast ? 0 : 1
    }

    fileprivate var reach: Instant {
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
public struct ContractSummary: Sendable, Equatable {
    public var product: String
    /// The entitlements that it opens while it gives access.
    public var opens: [EntitlementName]
    public var group: String?
    public var state: ContractState
    public var isActive: Bool
    public var accessUntil: Instant?
    public var autoRenew: Bool?
    /// When the free trial ends; nil without one.
    public var trialEndsAt: Instant?
    public var pendingProduct: String?
    public var provider: Provider
    public var store: String
    public var environment: StoreEnvironment
    /// The store's lineage id.
    public var contract: String
    public var isFamilyShared: Bool
    /// How many of a consumable were handed over; nil for everything else.
    public var quantity: Int?
}

extension HeldContract {
    /// As the API reports it. `isHonoured` is false for what gives no access by the policy.
    public func summary(isHonoured: Bool) -> ContractSummary {
        ContractSummary(
            product: status.product,
            opens: opens,
            group: group,
            state: status.state,
            isActive: status.isActive && isHonoured && !opens.isEmpty,
            accessUntil: status.accessUntil,
            autoRenew: status.autoRenew,
            trialEndsAt: status.trialEndsAt,
            pendingProduct: status.pendingProduct,
            provider: contract.provider,
            store: store,
            environment: contract.environment,
            contract: contract.lineage,
            isFamilyShared: isFamilyShared,
            quantity: quantity
        )
    }
}
