/// Access that a user pays for more than once: several subscriptions renew, and open the same.
public struct DoublePayment: Sendable, Equatable {
    public var user: UserID
    /// What more than one of them opens, in the catalog's order.
    public var entitlements: [EntitlementName]
    /// Those that renew, the one that speaks for the user first, and those whose payment has failed last.
    public var contracts: [HeldContract]
    /// Those without which the user still has all that they open together.
    public var dispensable: Set<ContractKey>
}

extension EntitlementSet {
    /// Nil if nothing is paid for twice.
    public var doublePayment: DoublePayment? {
        // Of what the family shares, somebody else is charged.
        let charged = ranked.filter { $0.renews && !$0.isFamilyShared }
        let renewing = charged.reduce(into: [HeldContract]()) { sales, contract in
            if !sales.contains(where: contract.isSameSale) { sales.append(contract) }
        }
        let overlapping = renewing.filter { contract in renewing.contains(where: contract.overlaps) }
        guard !overlapping.isEmpty else { return nil }
        let doubles =
            overlapping.filter { $0.status.state == .active } + overlapping.filter { $0.status.state != .active }
        let names = entitlements.map(\.name).filter { name in
            doubles.contains { left in
                left.opens.contains(name) && doubles.contains { left.overlaps($0) && $0.opens.contains(name) }
            }
        }
        // The first is the last to go.
        var kept = doubles
        for contract in doubles.reversed() {
            let others = kept.filter(contract.overlaps)
            let isOpenBesides = contract.opens.allSatisfy { name in others.contains { $0.opens.contains(name) } }
            if isOpenBesides { kept.removeAll { $0.contract == contract.contract } }
        }
        let dispensable = Set(doubles.map(\.contract)).subtracting(kept.map(\.contract))
        return DoublePayment(user: user, entitlements: names, contracts: doubles, dispensable: dispensable)
    }
}

extension HeldContract {
    /// Whether two stores tell of one sale, as RevenueCat does beside the store that sold.
    fileprivate func isSameSale(as other: HeldContract) -> Bool {
        guard contract.provider != other.contract.provider, store == other.store else { return false }
        return contract.lineage.hasSameBytes(as: other.contract.lineage)
            || boughtAt != nil && boughtAt == other.boughtAt
    }

    /// Whether both open the same, for two prices.
    fileprivate func overlaps(_ other: HeldContract) -> Bool {
        contract.environment == other.contract.environment
            && (contract.purchase ?? contract) != (other.contract.purchase ?? other.contract)
            && opens.contains(where: other.opens.contains)
    }
}
