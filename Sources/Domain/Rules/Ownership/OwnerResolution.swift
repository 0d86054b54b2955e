extension UnitOfWork {
    /// Determines who owns the contract. The store's own word comes first, then the tokens and claims of the contract
    /// itself, then what follows from contracts that it replaced and from others of the same buyer, or from what apps
    /// posted of their own accord. The result is a function of what is committed, so it does not matter what came first.
    func resolveOwner(
        of tracked: inout TrackedContract,
        said: StatedToken? = nil,
        nearest: NearestOwners = NearestOwners()
    ) throws {
        let owner = try owner(of: tracked, said: said)
        let users = try owner?.users ?? following(tracked, nearest: nearest)?.facts.map(\.user) ?? []
        tracked.user = users.first
        tracked.userAt = owner?.since
        tracked.shares = Array(users.dropFirst())
    }

    /// Whose a contract is without a fact of its own that counts. What an app posted of its own accord takes nothing from the
    /// owners of a nearer contract, unless it came before anybody owned that one: then it would be taken from its user.
    func following(_ tracked: TrackedContract, nearest: NearestOwners = NearestOwners()) throws -> FollowingOwner? {
        let found = try nearest.find(around: tracked, in: self)
        let unasked = Ownership.firstUnasked([found.unasked, tracked.unasked].compactMap(\.self))
        guard let related = found.owned else { return unasked.map { .unasked($0) } }
        if let unasked, try unasked.at < ownedSince(related) { return .unasked(unasked) }
        return .related(related)
    }

    /// Since when somebody has owned a contract, whoever owns it now.
    private func ownedSince(_ tracked: TrackedContract) throws -> Instant {
        let facts = try ownershipFacts(of: tracked).filter { $0.ground != .unasked }
        return facts.map(\.at).min() ?? tracked.userAt ?? Instant(milliseconds: 0)
    }

    /// The owner by the contract's own facts.
    private func owner(of tracked: TrackedContract, said: StatedToken?) throws -> Ownership? {
        if let (user, since) = try storeUser(of: tracked.contract) { return Ownership(users: [user], since: since) }
        return Ownership(try ownershipFacts(of: tracked, said: said), policy: policy.transfers)
    }

    /// The user whom the store names, after the transfers that it has reported since. An id that the store made up for
    /// the buyer leads to a user, or to nobody.
    private func storeUser(of contract: Contract) throws -> (user: UserID, since: Instant)? {
        guard let said = contract.statedBuyer else { return nil }
        var user = said.value
        var since = said.signedAt
        var from = said.signedAt
        while let next = try nextUser(after: user, since: from, at: contract.key) {
            user = next.user
            since = next.at
            // Strictly later, so that a cycle within one millisecond ends.
            from = since + .milliseconds(1)
        }
        guard contract.storeUser != nil || !contract.key.provider.isAnonymous(user.text) else { return nil }
        return (user, since)
    }

    /// A made-up id belongs to its user whenever that was said; only a transfer, which has to be later, leads back to
    /// one.
    private func nextUser(
        after user: UserID,
        since: Instant,
        at key: ContractKey
    ) throws -> TransferTarget? {
        if key.provider.isAnonymous(user.text),
            let named = try ledger.transfers(from: TransferSource(user, at: key, isAlias: true)).newestUser
        {
            return TransferTarget(at: max(named.at, since), user: named.user)
        }
        return try ledger.transfers(from: TransferSource(user, at: key)).first(since: since)
    }

    /// The facts of ownership: purchases with known orders that match, granted claims, and what an app posted unasked.
    func ownershipFacts(of tracked: TrackedContract, said: StatedToken? = nil) throws -> [Ownership.Fact] {
        var dates: [OrderToken: TokenDates] = [:]
        if let said { dates[said.token] = said.dates }
        var facts = [tracked.unasked].compactMap(\.self)
        if try ledger.contract(tracked.key) != nil {
            let known = try ledger.facts(of: tracked.key)
            for (token, known) in known.tokens { dates[token, default: known].add(known) }
            facts += known.claims.flatMap(\.facts)
        }
        let newest = tracked.contract.token?.value
        for (token, known) in dates {
            guard let order = try ledger.order(token), !order.contradicts(tracked.contract) else { continue }
            for at in known.all {
                // If one charge names another buyer than before, neither fact is older: the newest statement counts.
                let isSaidAgain = token == newest && dates.contains { $0.key != token && $0.value.all.contains(at) }
                let counted = isSaidAgain ? at + .milliseconds(1) : at
                facts.append(.init(user: order.user, at: counted, ground: .purchase))
            }
        }
        return facts
    }
}

/// The consequences of a change for the owners of related contracts.
extension UnitOfWork {
    /// How many contracts one command gives another owner: those of an order, and as many that follow from them.
    private static let resolutionLimit = 2 * ContractIndex.boughtLimit

    /// Determines again the owners that the command's changes may have changed. It announces each change in a separate
    /// entry, and continues with the contracts whose owners follow from them.
    mutating func resolveOwners() throws {
        var waiting = unresolved + (try dependents(of: related))
        (unresolved, related) = ([], [])
        // The contracts resolved since one with its own owner has changed. The others only pass on what follows from
        // it.
        var settled: Set<ContractKey> = []
        // Ends a cycle of lineages.
        var left = UnitOfWork.resolutionLimit
        while !waiting.isEmpty, left > 0 {
            let round = waiting.filter { settled.insert($0.key).inserted }.prefix(left).map(\.key)
            left -= round.count
            let changed = try resolveOwners(of: round)
            let owned = changed.filter { $0.previous?.userAt != nil || $0.current.userAt != nil }
            if !owned.isEmpty { settled = Set(owned.map(\.key)) }
            for change in changed { try append(change, as: change.moveKind) }
            waiting = try dependents(of: changed.map(\.current))
        }
    }

    /// First those with owners of their own, from which the others follow.
    private mutating func resolveOwners(of keys: [ContractKey]) throws -> [ContractChange] {
        var changed: [ContractChange] = []
        var following: [ContractKey] = []
        for key in keys {
            guard let known = try ledger.contract(key) else { continue }
            if known.userAt == nil, try owner(of: known, said: nil) == nil {
                following.append(key)
            } else if let change = try resolveOwnerAgain(of: key) {
                changed.append(change)
            }
        }
        let nearest = NearestOwners()
        for key in following {
            if let change = try resolveOwnerAgain(of: key, nearest: nearest) { changed.append(change) }
        }
        return changed
    }

    /// Determines the owner of a contract again. Returns the change if the contract's users have changed.
    mutating func resolveOwnerAgain(
        of key: ContractKey,
        nearest: NearestOwners = NearestOwners()
    ) throws -> ContractChange? {
        guard let known = try ledger.contract(key) else { return nil }
        var current = known
        try resolveOwner(of: &current, nearest: nearest)
        guard current.hasDifferentHolders(than: known) else { return nil }
        current.recomputeStatus(at: now, policy: policy)
        try save(current)
        return known.holders == current.holders ? nil : ContractChange(previous: known, current: current)
    }
}

extension Contract {
    /// The buyer as the store names them: a user, or an id that the store made up and that may turn out to be a user's.
    var statedBuyer: Register<UserID>? {
        if let storeUser { return storeUser }
        guard let account, key.provider.isAnonymous(account.value) else { return nil }
        return Register(UserID(account.value), at: account.signedAt)
    }
}

/// Whose a contract is that has no owner of its own.
enum FollowingOwner {
    /// The holders' of another contract.
    case related(TrackedContract)
    /// The user's whose app posted it, or one from which it follows.
    case unasked(Ownership.Fact)

    /// Users who hold it because of another contract had it before anybody claimed it.
    var facts: [Ownership.Fact] {
        switch self {
        case .related(let other):
            other.holders.map { .claim(by: $0, at: Instant(milliseconds: 0), whileActive: false) }
        case .unasked(let fact): [fact]
        }
    }
}

/// A token that a statement carried, with the date of the charge that carried it. A renewal only shows that the token existed
/// before: no charge was bought with it.
struct StatedToken {
    var token: OrderToken
    var dates: TokenDates

    init?(_ observation: Observation, of event: Event) {
        guard let token = observation.token else { return nil }
        self.token = token
        let at = observation.transaction?.purchasedAt ?? event.signedAt
        dates = TokenDates(first: at, last: observation.isPurchase && observation.transaction != nil ? at : nil)
    }
}

/// The dates of the first charge that carried a token and of the last one that was bought with it. Under every policy,
/// charges between them change nothing.
public struct TokenDates: Sendable, Equatable {
    public var first: Instant
    public var last: Instant?

    public init(first: Instant, last: Instant?) {
        self.first = first
        self.last = last
    }

    var all: Set<Instant> { Set([first, last].compactMap { $0 }) }

    mutating func add(_ other: TokenDates) {
        first = min(first, other.first)
        last = [last, other.last].compactMap { $0 }.max()
    }

    /// True if `other` adds something to these dates: an earlier charge, or a later purchase. A purchase at the time of
    /// the first charge counts if no purchase is known.
    func lacks(_ other: TokenDates) -> Bool {
        guard other.first >= first else { return true }
        guard let purchase = other.last else { return false }
        return last.map { purchase > $0 } ?? (purchase >= first)
    }
}
