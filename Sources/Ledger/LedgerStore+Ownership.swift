internal import Domain

/// A token and the date of the charge that carried it.
struct SaidToken {
    var token: OrderToken
    var at: Instant
    /// True when the charge was bought with the token. A renewal only shows that the token was there before.
    var isPurchase: Bool

    init?(_ observation: Observation, of event: Event) {
        guard let token = observation.token else { return nil }
        self.token = token
        at = observation.transaction?.purchasedAt ?? event.signedAt
        isPurchase = observation.isPurchase && observation.transaction != nil
    }
}

/// The dates of the first charge that carried a token and of the last one that was bought with it. Under every policy,
/// charges between them change nothing.
struct TokenDates: Equatable {
    var first: Instant
    var last: Instant?

    init(_ said: SaidToken) {
        first = said.at
        last = said.isPurchase ? said.at : nil
    }

    init(_ row: Row) {
        first = row.instant(1)
        last = row.optionalInstant(2)
    }

    mutating func add(_ other: TokenDates) {
        first = min(first, other.first)
        last = [last, other.last].compactMap { $0 }.max()
    }

    var all: Set<Instant> { Set([first, last].compactMap { $0 }) }
}

extension LedgerStore {
    /// How many contracts are searched for an owner; a buyer has a handful.
    private static let relatedLimit = 1000

    /// Determines who owns the contract. The store's own word comes first, then the tokens and claims of the contract
    /// itself, then what follows from contracts that it replaced and from others of the same buyer. The result is a
    /// function of what is committed, so it does not matter what came first.
    func resolveOwner(of row: inout ContractRow, said: SaidToken? = nil) throws(SQLiteError) {
        var owner = try owner(of: row, said)
        if owner == nil { owner = try derivedOwner(of: row) }
        row.user = owner?.users.first
        row.userAt = owner?.since
        row.shares = Array(owner?.users.dropFirst() ?? [])
    }

    struct Owner {
        var users: [UserID]
        /// Nil when the users follow from another contract.
        var since: Instant?
    }

    /// The owner by the contract's own facts.
    private func owner(of row: ContractRow, _ said: SaidToken?) throws(SQLiteError) -> Owner? {
        if let (user, since) = try storeUser(of: row.contract) { return Owner(users: [user], since: since) }
        let owned = Ownership(try facts(of: row, said), policy: policy.transfers)
        return owned.map { Owner(users: $0.users, since: $0.since) }
    }

    /// The user whom the store names, after the transfers that it has reported since.
    func storeUser(of contract: Contract) throws(SQLiteError) -> (user: UserID, since: Instant)? {
        guard let said = contract.storeUser else { return nil }
        var (user, since, from) = (said.value, said.signedAt, said.signedAt)
        while let next = try statements.nextTransfer.first(
            [Value(user), Value(contract.key.provider), Value(contract.key.environment), Value(from)],
            read: { row in (row.user(0), row.instant(1)) }
        ) {
            (user, since) = next
            // Strictly later, so that a circle within one millisecond ends.
            from = since + .milliseconds(1)
        }
        return (user, since)
    }

    /// The facts of ownership: purchases with orders that are known and fit, and claims that were granted.
    func facts(of row: ContractRow, _ said: SaidToken? = nil) throws(SQLiteError) -> [Ownership.Fact] {
        var dates: [OrderToken: TokenDates] = [:]
        if let said { dates[said.token] = TokenDates(said) }
        var facts: [Ownership.Fact] = []
        if let id = row.id {
            let known = try statements.tokens.all([.integer(id)], read: { ($0.text(0), TokenDates($0)) })
            for (text, known) in known {
                guard let token = OrderToken(text) else { continue }
                dates[token, default: known].add(known)
            }
            facts = try claims(on: id).flatMap(\.facts)
        }
        let newest = row.contract.token?.value
        for (token, known) in dates {
            guard let order = try order(token), !order.contradicts(row.contract) else { continue }
            for at in known.all {
                // When one charge names another buyer than before, neither fact is older: the one that was said last
                // counts.
                let isSaidAgain = token == newest && dates.contains { $0.key != token && $0.value.all.contains(at) }
                let counted = isSaidAgain ? at + .milliseconds(1) : at
                facts.append(.init(user: order.user, at: counted, ground: .purchase))
            }
        }
        return facts
    }

    /// The owner of the nearest contract that has one of its own. The way there leads over contracts that were replaced
    /// and those of the same buyer. Among equally near contracts, the newest owner counts.
    private func derivedOwner(of row: ContractRow) throws(SQLiteError) -> Owner? {
        var seen: Set<ContractKey> = [row.contract.key]
        var ring = [row]
        while !ring.isEmpty, seen.count < LedgerStore.relatedLimit {
            var next: [ContractRow] = []
            for link in ring {
                for related in try relatedContracts(of: link) where seen.insert(related.contract.key).inserted {
                    next.append(related)
                }
            }
            let newest = next.filter { $0.userAt != nil }.max {
                let (left, right) = ($0.user?.text ?? "", $1.user?.text ?? "")
                return ($0.userAt?.milliseconds ?? 0, left) < ($1.userAt?.milliseconds ?? 0, right)
            }
            if let newest, let id = newest.id, let user = newest.user {
                return Owner(users: [user] + (try shares(of: id)))
            }
            ring = next
        }
        return nil
    }

    /// The contract that it replaced, the purchase that it is part of, and others of the same buyer.
    func relatedContracts(of row: ContractRow) throws(SQLiteError) -> [ContractRow] {
        var related: [ContractRow] = []
        var key = row.contract.key
        if let lineage = row.contract.previousLineage?.value {
            key.lineage = lineage
            if let replaced = try contract(key) { related.append(replaced) }
        }
        if let purchase = row.contract.key.purchase, let whole = try contract(purchase) { related.append(whole) }
        if let account = row.contract.account?.value {
            related += try statements.contractsByAccount.all(keyValues(account, key), read: contractRow)
        }
        return related
    }

    func shares(of id: Int64) throws(SQLiteError) -> [UserID] {
        try statements.shares.all([.integer(id)]) { row in row.user(0) }
    }

    /// Remembers a token of a contract; returns true when that is new.
    func note(_ token: OrderToken, _ dates: TokenDates, of id: Int64) throws(SQLiteError) -> Bool {
        try statements.putToken.run([.integer(id), .text(token.description), Value(dates.first), Value(dates.last)])
        return connection.changes > 0
    }
}
