internal import Domain

extension UnitOfWork {
    /// The number of contracts that are searched for an owner; a buyer has a handful.
    private static let relatedLimit = 1000

    /// Determines who owns the contract. The store's own word comes first, then the tokens and claims of the contract
    /// itself, then what follows from contracts that it replaced and from others of the same buyer. The result is a
    /// function of what is committed, so it does not matter what came first.
    func resolveOwner(of tracked: inout TrackedContract, said: StatedToken? = nil) throws(Missing) {
        var owner = try owner(of: tracked, said: said)
        if owner == nil { owner = try derivedOwner(of: tracked) }
        tracked.user = owner?.users.first
        tracked.userAt = owner?.since
        tracked.shares = Array(owner?.users.dropFirst() ?? [])
    }

    private struct Owner {
        var users: [UserID]
        /// Nil if the users follow from another contract.
        var since: Instant?
    }

    /// The owner by the contract's own facts.
    private func owner(of tracked: TrackedContract, said: StatedToken?) throws(Missing) -> Owner? {
        if let (user, since) = try storeUser(of: tracked.contract) { return Owner(users: [user], since: since) }
        let owned = Ownership(try ownershipFacts(of: tracked, said: said), policy: policy.transfers)
        return owned.map { Owner(users: $0.users, since: $0.since) }
    }

    /// The user whom the store names, after the transfers that it has reported since.
    private func storeUser(of contract: Contract) throws(Missing) -> (user: UserID, since: Instant)? {
        guard let said = contract.storeUser else { return nil }
        var user = said.value
        var since = said.signedAt
        var from = said.signedAt
        while let next = try firstTransfer(of: user, since: from, at: contract.key) {
            user = next.user
            since = next.at
            // Strictly later, so that a cycle within one millisecond ends.
            from = since + .milliseconds(1)
        }
        return (user, since)
    }

    private func firstTransfer(
        of user: UserID,
        since: Instant,
        at key: ContractKey
    ) throws(Missing) -> TransferTarget? {
        try transfers(from: TransferSource(user, at: key)).first(since: since)
    }

    /// The facts of ownership: purchases with known orders that match, and granted claims.
    func ownershipFacts(of tracked: TrackedContract, said: StatedToken? = nil) throws(Missing) -> [Ownership.Fact] {
        var dates: [OrderToken: TokenDates] = [:]
        if let said { dates[said.token] = TokenDates(said) }
        var facts: [Ownership.Fact] = []
        if try contract(tracked.key) != nil {
            let known = try self.facts(of: tracked.key)
            for (token, known) in known.tokens { dates[token, default: known].add(known) }
            facts = known.claims.flatMap(\.facts)
        }
        try demand(dates.keys.map { .order($0) })
        let newest = tracked.contract.token?.value
        for (token, known) in dates {
            guard let order = try order(token), !order.contradicts(tracked.contract) else { continue }
            for at in known.all {
                // If one charge names another buyer than before, neither fact is older: the newest statement counts.
                let isSaidAgain = token == newest && dates.contains { $0.key != token && $0.value.all.contains(at) }
                let counted = isSaidAgain ? at + .milliseconds(1) : at
                facts.append(.init(user: order.user, at: counted, ground: .purchase))
            }
        }
        return facts
    }

    /// The owner of the nearest contract that has its own owner. The search goes through replaced contracts and those
    /// of the same buyer. Among equally near contracts, the newest owner counts.
    private func derivedOwner(of tracked: TrackedContract) throws(Missing) -> Owner? {
        var seen: Set<ContractKey> = [tracked.key]
        // All of a buyer's contracts name the same list, which is read once.
        var read: Set<ContractIndex> = []
        var ring = [tracked]
        while !ring.isEmpty, seen.count < UnitOfWork.relatedLimit {
            try demand(ring.flatMap(\.relatedNeeds), walk: .toOwner, seen: seen)
            var next: [TrackedContract] = []
            for link in ring {
                for related in try relatedContracts(of: link, read: &read) where seen.insert(related.key).inserted {
                    next.append(related)
                }
            }
            let newest = next.filter { $0.userAt != nil }.max {
                let left = $0.user?.text ?? ""
                let right = $1.user?.text ?? ""
                return ($0.userAt?.milliseconds ?? 0, left) < ($1.userAt?.milliseconds ?? 0, right)
            }
            if let newest, newest.user != nil { return Owner(users: newest.holders) }
            ring = next
        }
        return nil
    }
}

/// The consequences of a change for the owners of related contracts.
extension UnitOfWork {
    /// Determines the owners of these contracts again. It announces each change in a separate entry, and continues with
    /// the contracts whose owners follow from them.
    mutating func resolveOwners(of contracts: [TrackedContract]) throws(Missing) {
        var waiting = contracts
        try demandWhatDecides(waiting)
        // The contracts resolved since one with its own owner has changed. The others only pass on what follows from
        // it.
        var settled: Set<ContractKey> = []
        // Ends a cycle of lineages.
        var rounds = 1000
        while let next = waiting.popLast(), rounds > 0 {
            guard settled.insert(next.key).inserted else { continue }
            rounds -= 1
            guard let change = try resolveOwnerAgain(of: next.key) else { continue }
            if change.previous?.userAt != nil || change.current.userAt != nil { settled = [next.key] }
            try append(change, as: change.moveKind)
            let more = try dependents(of: change.current)
            try demandWhatDecides(more)
            waiting += more
        }
    }

    /// Asks at once for everything that decides about the owners of all these contracts, and for the consequences: a
    /// buyer may have hundreds of contracts, and so may a chain of replaced ones, and each question would start the
    /// decision over.
    func demandWhatDecides(_ contracts: [TrackedContract]) throws(Missing) {
        try demand(contracts.flatMap(\.ownerNeeds), walk: .toDependents)
        var orders: [Need] = []
        for tracked in contracts { orders += try facts(of: tracked.key).tokens.keys.map { .order($0) } }
        try demand(orders)
    }

    /// Determines the owner of a contract again. Returns the change if the contract's users have changed.
    mutating func resolveOwnerAgain(of key: ContractKey) throws(Missing) -> ContractChange? {
        guard let known = try contract(key) else { return nil }
        var current = known
        try resolveOwner(of: &current)
        guard current.hasDifferentHolders(than: known) else { return nil }
        current.recomputeStatus(at: now, policy: policy)
        try save(current)
        return known.holders == current.holders ? nil : ContractChange(previous: known, current: current)
    }
}
