/// The result of an erasure.
public struct Erasure: Sendable, Equatable {
    public var contracts: Int
    public var orders: Int
    /// The newest position.
    public var cursor: Cursor
}

extension UnitOfWork {
    /// Erases a user: the user's contracts and orders are removed, and tombstones keep later statements of stores from
    /// bringing them back. Contracts of others lose the user's claims and orders. The user's open pages reload.
    ///
    /// The refresh is not kept, because its stream names the user; a page that comes later learns it from the
    /// tombstone.
    public mutating func erase(_ user: UserID) throws -> Erasure {
        let found = try ledger.holdings(of: user)
        var owned: [TrackedContract] = []
        var others: [TrackedContract] = []
        for stored in found.contracts {
            guard let tracked = try ledger.contract(stored.key) else { continue }
            let isShared = tracked.holders.contains { $0 != user }
            if tracked.user == user && !isShared { owned.append(tracked) } else { others.append(tracked) }
        }
        try settleTransfers(of: user, losses: found.losses)
        for token in found.orders { ledger.orders[token] = .some(nil) }
        for tracked in others {
            try withdraw(user, orders: found.orders, from: tracked.key)
            // The store itself names the user as its owner.
            if let left = try ledger.contract(tracked.key), left.user == user { owned.append(left) }
        }
        try remove(owned)
        let isKnown = try ledger.isBuried(.user(user))
        bury([.user(user)] + found.orders.map { .order($0) })
        ledger.locales[user] = .unknown
        ledger.forgetCharges()
        changes.erasure = ErasureRecord(user: user, contracts: owned.map(\.key))
        if !isKnown || !found.contracts.isEmpty || !found.orders.isEmpty { try appendErasure(of: user) }
        return Erasure(contracts: owned.count, orders: found.orders.count, cursor: cursor(ledger.head))
    }

    private mutating func remove(_ owned: [TrackedContract]) throws {
        let accounts = Set(owned.compactMap { ContractIndex.account(of: $0.contract) })
        // For tokens without an order, only the facts show that they were the user's.
        for tracked in owned { bury(try ledger.facts(of: tracked.key).tokens.keys.map { .order($0) }) }
        for tracked in owned { ledger.removed(tracked.key) }
        bury(owned.map { .contract($0.key) })
        // Contracts that others hold from the same buyer stay theirs, and decide about the buyer's next ones.
        for account in accounts where try ledger.contracts(account).isEmpty {
            if case .ofAccount(let key) = account { bury([.account(key)]) }
        }
    }

    /// Removes the user's claims and posts, and the tokens of the user's orders, from somebody else's contract.
    private mutating func withdraw(
        _ user: UserID,
        orders: [OrderToken],
        from key: ContractKey
    ) throws {
        guard let known = try ledger.contract(key) else { return }
        var facts = try ledger.facts(of: key)
        facts.claims.removeAll { $0.user == user }
        for token in orders { facts.tokens[token] = nil }
        ledger.facts[key] = facts
        var current = known
        if current.unasked?.user == user { current.unasked = nil }
        if let token = current.contract.token, orders.contains(token.value) { current.contract.token = nil }
        try resolveOwner(of: &current)
        guard current.hasDifferentHolders(than: known) else {
            if current != known { try save(current) }
            return
        }
        current.recomputeStatus(at: now, policy: policy)
        try save(current)
        // Nothing is announced to the erased user.
        var previous = known
        previous.shares.removeAll { $0 == user }
        if previous.user == user { previous.user = nil }
        guard previous.holders != current.holders else { return }
        let change = ContractChange(previous: previous, current: current)
        try append(change, as: change.moveKind)
        related.append(current)
    }

    /// Contracts that the user lost to others stay theirs. The transfers that say so are dropped, because the contracts
    /// themselves name their users.
    private mutating func settleTransfers(of user: UserID, losses: [TransferSource]) throws {
        for source in losses {
            let reached = try reach(of: [user], provider: source.provider, environment: source.environment)
            let others = reached.filter { $0 != user }
            let left = try contracts(statedTo: others, provider: source.provider, environment: source.environment)
            for tracked in left {
                guard let owner = tracked.user, tracked.contract.statedBuyer?.value != owner,
                    let since = tracked.userAt
                else { continue }
                var settled = tracked
                settled.contract.storeUser = Register(owner, at: since)
                try save(settled)
            }
        }
    }

    private mutating func appendErasure(of user: UserID) throws {
        let refresh = streams.stream(for: user).map { [Fragment(stream: $0, action: "refresh", content: .none)] }
        _ = try append(Notice(kind: .userErased), fragments: refresh ?? [])
        changes.entries[changes.entries.count - 1].stored = []
        queueHook(.userErased, about: user, entry: changes.entries.count - 1)
    }
}

/// Tombstones.
extension UnitOfWork {
    mutating func bury(_ identities: [ErasedIdentity]) {
        for identity in identities { ledger.tombstones[identity] = true }
        changes.buried += identities
    }

    mutating func lift(_ identities: [ErasedIdentity]) throws {
        for identity in identities where try ledger.isBuried(identity) {
            ledger.tombstones[identity] = false
            changes.lifted.append(identity)
        }
    }

    /// Somebody holds the contract now, so its buyer belongs to that user.
    mutating func liftTombstones(of contract: Contract) throws {
        let account = ContractIndex.account(of: contract)
        let buyer: [ErasedIdentity] = if case .ofAccount(let key) = account { [.account(key)] } else { [] }
        try lift([.contract(contract.key)] + buyer)
    }
}

/// Something by which a store or an app can name an erased user. A ledger keeps only a keyed digest of it, on a
/// tombstone.
public enum ErasedIdentity: Hashable, Sendable {
    case user(UserID)
    case contract(ContractKey)
    /// A buyer. The key is that of any of the contracts, with the store's name for the buyer as its lineage.
    case account(ContractKey)
    case order(OrderToken)
    case event(EventKey)

    /// The input of the digest; no two identities have the same.
    public var fields: [String] {
        switch self {
        case .user(let user): ["user", user.text]
        case .contract(let key): ["contract"] + ErasedIdentity.fields(of: key)
        case .account(let key): ["account"] + ErasedIdentity.fields(of: key)
        case .order(let token): ["order", token.description]
        case .event(let key): ["event", key.provider.rawValue, key.environment.rawValue, key.id]
        }
    }

    private static func fields(of key: ContractKey) -> [String] {
        [key.provider.rawValue, key.environment.rawValue, key.app, key.lineage]
    }
}

/// Everything that an erasure has to examine: the contracts that the user owns, shares, has claimed or has bought with an
/// order, the orders, and where a store said that the user lost everything.
public typealias UserHoldings = (contracts: [TrackedContract], orders: [OrderToken], losses: [TransferSource])

/// The user to erase: these contracts, and everything else that names the user.
public struct ErasureRecord: Sendable {
    public var user: UserID
    public var contracts: [ContractKey]
}
