/// How contracts are related: one may replace another, be part of the same purchase, or belong to the same buyer.
extension UnitOfWork {
    /// Leaves out the lists that were read before.
    func relatedContracts(
        of tracked: TrackedContract,
        read: inout Set<ContractIndex>
    ) throws -> [TrackedContract] {
        var related: [TrackedContract] = []
        if let replaced = try tracked.replacedKey.map({ try contract($0) }) ?? nil {
            related.append(replaced)
        }
        if let whole = try tracked.key.purchase.map({ try contract($0) }) ?? nil {
            related.append(whole)
        }
        if let account = ContractIndex.account(of: tracked.contract), read.insert(account).inserted {
            related += try contracts(account)
        }
        return related
    }

    /// Contracts whose users may follow from those of these. Hundreds of one buyer name the same list, which is read once.
    func dependents(of contracts: [TrackedContract]) throws -> [TrackedContract] {
        var read: Set<ContractIndex> = []
        let lists = contracts.flatMap(\.dependentLists).filter { read.insert($0).inserted }
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
    var surroundings: Surroundings {
        Surroundings(replaced: replacedKey, whole: key.purchase, account: ContractIndex.account(of: contract))
    }

    /// The contracts whose owners may follow from its owner.
    fileprivate var dependentLists: [ContractIndex] {
        let account = ContractIndex.account(of: contract)
        return [.replacing(key)] + (account.map { [$0] } ?? []) + (key.lineBounds == nil ? [] : [.lines(of: key)])
    }
}

/// Contracts with the same surroundings have the same nearest owner.
struct Surroundings: Hashable {
    var replaced: ContractKey?
    /// The purchase of which the contract is a further product.
    var whole: ContractKey?
    var account: ContractIndex?
}
