/// How contracts are related: one may replace another, be part of the same purchase, or belong to the same buyer.
extension UnitOfWork {
    /// Leaves out the lists that were read before.
    func relatedContracts(
        of tracked: TrackedContract,
        read: inout Set<ContractIndex>
    ) throws -> [TrackedContract] {
        var related: [TrackedContract] = []
        let around = tracked.surroundings
        for key in [around.replaced, around.whole].compactMap(\.self) {
            if let contract = try ledger.contract(key) { related.append(contract) }
        }
        if let account = around.account, read.insert(account).inserted {
            related += try ledger.contracts(account)
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
            found += try ledger.contracts(list).filter { $0.userAt == nil && seen.insert($0.key).inserted }
        }
        return found
    }
}

extension TrackedContract {
    /// The contracts from which its owner may follow.
    var surroundings: Surroundings {
        Surroundings(
            replaced: contract.previousLineage.map { key.with(lineage: $0.value) },
            whole: key.purchase,
            account: ContractIndex.account(of: contract)
        )
    }

    /// The contracts whose owners may follow from its owner.
    fileprivate var dependentLists: [ContractIndex] {
        let account = ContractIndex.account(of: contract)
        return [.replacing(key)] + (account.map { [$0] } ?? []) + (key.lineBounds == nil ? [] : [.lines(of: key)])
    }
}

/// Contracts with the same surroundings have the same nearest owner.
struct Surroundings: Hashable {
    /// The contract that it replaced; nil if the store names none.
    var replaced: ContractKey?
    /// The purchase of which the contract is a further product.
    var whole: ContractKey?
    var account: ContractIndex?
}

/// The contracts from which owners follow: the nearest one that has its own owner. The search goes through replaced
/// contracts and those of the same buyer. Among equally near contracts, the newest owner counts.
///
/// It remembers what it has found, by what is around a contract: hundreds of contracts of one buyer have the same
/// around them, and none of them is an answer to the others. So it is valid as long as no contract gets or loses an
/// owner of its own, or a post that nobody had asked for.
final class NearestOwners {
    /// What is around a contract.
    struct Found {
        var owned: TrackedContract?
        /// The first post among the contracts on the way that have no owner of their own.
        var unasked: Ownership.Fact?
    }

    /// The number of contracts that are searched for an owner; a buyer has a handful.
    private static let limit = 1000

    private var found: [Surroundings: Found] = [:]

    func find(around tracked: TrackedContract, in unit: UnitOfWork) throws -> Found {
        let around = tracked.surroundings
        if let known = found[around] { return known }
        let new = try search(from: tracked, in: unit)
        found[around] = new
        return new
    }

    private func search(from tracked: TrackedContract, in unit: UnitOfWork) throws -> Found {
        var result = Found()
        var seen: Set<ContractKey> = [tracked.key]
        // All of a buyer's contracts name the same list, which is read once.
        var read: Set<ContractIndex> = []
        var ring = [tracked]
        while !ring.isEmpty, seen.count < NearestOwners.limit {
            var next: [TrackedContract] = []
            for link in ring {
                for related in try unit.relatedContracts(of: link, read: &read) {
                    // Where it is listed, also the contract itself, as it is now: others with the same around them ask.
                    let current = related.key == tracked.key ? tracked : related
                    result.add(current.userAt == nil ? current.unasked : nil)
                    if seen.insert(related.key).inserted { next.append(related) }
                }
            }
            result.owned = next.filter { $0.userAt != nil }.max {
                let left = $0.user?.text ?? ""
                let right = $1.user?.text ?? ""
                return ($0.userAt?.milliseconds ?? 0, left) < ($1.userAt?.milliseconds ?? 0, right)
            }
            if result.owned != nil { return result }
            // A chain goes on as it did from its next link.
            if next.count == 1, let known = found[next[0].surroundings] {
                result.add(known.unasked)
                result.owned = known.owned
                return result
            }
            ring = next
        }
        return result
    }
}

extension NearestOwners.Found {
    fileprivate mutating func add(_ fact: Ownership.Fact?) {
        unasked = Ownership.firstUnasked([unasked, fact].compactMap(\.self))
    }
}
