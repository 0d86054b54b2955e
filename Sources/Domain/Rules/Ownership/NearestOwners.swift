/// The users of a contract.
struct ContractOwner {
    var users: [UserID]
    /// Nil if the users follow from another contract.
    var since: Instant?
}

/// The owners that follow from other contracts: that of the nearest one which has its own owner. The search goes through
/// replaced contracts and those of the same buyer. Among equally near contracts, the newest owner counts.
///
/// It remembers what it has found, by what is around a contract: hundreds of contracts of one buyer have the same
/// around them, and none of them is an answer to the others. So it is valid as long as no contract gets or loses an
/// owner of its own.
struct NearestOwners {
    /// The number of contracts that are searched for an owner; a buyer has a handful.
    private static let limit = 1000

    private var found: [Surroundings: ContractOwner?] = [:]

    mutating func owner(of tracked: TrackedContract, in unit: UnitOfWork) throws -> ContractOwner? {
        let around = tracked.surroundings
        if let known = found[around] { return known }
        let owner = try search(from: tracked, in: unit)
        found[around] = .some(owner)
        return owner
    }

    private func search(from tracked: TrackedContract, in unit: UnitOfWork) throws -> ContractOwner? {
        var seen: Set<ContractKey> = [tracked.key]
        // All of a buyer's contracts name the same list, which is read once.
        var read: Set<ContractIndex> = []
        var ring = [tracked]
        while !ring.isEmpty, seen.count < NearestOwners.limit {
            var next: [TrackedContract] = []
            for link in ring {
                for related in try unit.relatedContracts(of: link, read: &read) where seen.insert(related.key).inserted
                {
                    next.append(related)
                }
            }
            let newest = next.filter { $0.userAt != nil }.max {
                let left = $0.user?.text ?? ""
                let right = $1.user?.text ?? ""
                return ($0.userAt?.milliseconds ?? 0, left) < ($1.userAt?.milliseconds ?? 0, right)
            }
            if let newest, newest.user != nil { return ContractOwner(users: newest.holders) }
            // A chain goes on as it did from its next link.
            if next.count == 1, let known = found[next[0].surroundings] { return known }
            ring = next
        }
        return nil
    }
}
