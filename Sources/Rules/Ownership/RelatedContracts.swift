internal import Domain

/// How contracts are related: one may replace another, be part of the same purchase, or belong to the same buyer.
extension UnitOfWork {
    /// Leaves out the lists that were read before.
    func relatedContracts(
        of tracked: TrackedContract,
        read: inout Set<ContractIndex>
    ) throws(Missing) -> [TrackedContract] {
        var related: [TrackedContract] = []
        if let replaced = try tracked.replacedKey.map({ key throws(Missing) in try contract(key) }) ?? nil {
            related.append(replaced)
        }
        if let whole = try tracked.key.purchase.map({ key throws(Missing) in try contract(key) }) ?? nil {
            related.append(whole)
        }
        if let account = ContractIndex.account(of: tracked.contract), read.insert(account).inserted {
            related += try contracts(account)
        }
        return related
    }

    /// Contracts whose users may follow from those of these. Hundreds of one buyer name the same list, which is read once.
    func dependents(of contracts: [TrackedContract]) throws(Missing) -> [TrackedContract] {
        var read: Set<ContractIndex> = []
        let lists = contracts.flatMap(\.dependentLists).filter { read.insert($0).inserted }
        try demand(lists.map { .contracts($0) }, walk: .toDependents)
        var seen: Set<ContractKey> = []
        var found: [TrackedContract] = []
        for list in lists {
            found += try self.contracts(list).filter { $0.userAt == nil && seen.insert($0.key).inserted }
        }
        return found
    }
}

extension TrackedContract {
    /// The contract that it replaced; nil if the store names none.
    fileprivate var replacedKey: ContractKey? { contract.previousLineage.map { key.with(lineage: $0.value) } }

    /// The contracts from which its owner may follow.
    var relatedNeeds: [Need] {
        let keys = [replacedKey, key.purchase].compactMap { $0 }
        let account = ContractIndex.account(of: contract)
        return keys.map { .contract($0) } + (account.map { [.contracts($0)] } ?? [])
    }

    /// The contracts whose owners may follow from its owner.
    fileprivate var dependentLists: [ContractIndex] {
        let account = ContractIndex.account(of: contract)
        return [.replacing(key)] + (account.map { [$0] } ?? []) + (key.lineBounds == nil ? [] : [.lines(of: key)])
    }

    /// Everything that decides about its owner, and the consequences. The orders of its tokens are asked for
    /// separately.
    var ownerNeeds: [Need] {
        [.facts(of: key)] + relatedNeeds + dependentLists.map { .contracts($0) }
            + contract.transferSources.map { .transfers($0) }
    }
}
