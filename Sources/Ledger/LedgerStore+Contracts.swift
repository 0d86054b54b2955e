internal import Domain

/// A contract before and after a command, and why it changed, as far as pages show it.
struct ContractChange {
    var previous: ContractRow?
    var current: ContractRow
    var kind: EventKind?
    /// The store's own word.
    var reason: String?
    /// True when it was bought together with a contract that speaks for both.
    var isBeside = false

    var key: ContractKey { current.contract.key }

    /// Everyone whose page the change concerns; users who lost the contract come first.
    var users: [UserID] {
        let lost = (previous?.holders ?? []).filter { !current.holders.contains($0) }
        return lost + current.holders
    }

    /// The name of the change when no event carries it.
    var moveKind: EventKind { previous?.user == nil ? .orderClaimed : .contractTransferred }

    /// The change in the number of contracts without a user.
    var unclaimed: Int {
        (current.user == nil ? 1 : 0) - (previous != nil && previous?.user == nil ? 1 : 0)
    }
}

extension LedgerStore {
    func contract(_ key: ContractKey) throws(SQLiteError) -> ContractRow? {
        var found = try statements.findContract.first(keyValues(key.lineage, key), read: contractRow)
        if let id = found?.id { found?.shares = try shares(of: id) }
        return found
    }

    /// Writes `row` and returns it with its id.
    func save(_ row: ContractRow, over previous: ContractRow?) throws(SQLiteError) -> ContractRow {
        guard let id = row.id else {
            try statements.insertContract.run(row.keyValues + row.identityValues + row.stateValues)
            var saved = row
            saved.id = connection.lastInsertedRow
            try saveShares(saved, [])
            return saved
        }
        if let previous, row.hasOtherIdentity(than: previous) {
            try statements.updateIdentity.run(row.identityValues + [.integer(id)])
        }
        try statements.updateState.run(row.stateValues + [.integer(id)])
        try saveShares(row, previous?.shares ?? [])
        return row
    }

    private func saveShares(_ row: ContractRow, _ known: [UserID]) throws(SQLiteError) {
        guard let id = row.id, row.shares != known else { return }
        try statements.deleteShares.run([.integer(id)])
        for (ordinal, user) in row.shares.enumerated() {
            try statements.insertShare.run([Value(user), .integer(id), .integer(Int64(ordinal))])
        }
    }

    /// The fragments for the pages of everyone who holds the contract, or has lost it by this change. `active` tells
    /// whether its user has access afterwards; nil without a user.
    func announce(_ change: ContractChange) throws(SQLiteError) -> (fragments: [Fragment], active: Bool?) {
        var fragments: [Fragment] = []
        var active: Bool?
        for user in change.users {
            let page = try page(of: user, change)
            fragments += page.fragments
            if user == change.current.user { active = page.active }
        }
        return (fragments, active)
    }

    /// Appends a separate entry for a change that no event carries.
    func append<Value>(
        _ change: ContractChange,
        as kind: EventKind,
        to commit: inout Commit<Value>,
        at now: Instant
    ) throws(SQLiteError) {
        var change = change
        change.kind = kind
        let (fragments, active) = try announce(change)
        commit.entries.append(try append(Notice(kind: kind, change, active: active), fragments, at: now))
        commit.unclaimed += change.unclaimed
    }

    private func page(of user: UserID, _ change: ContractChange) throws(SQLiteError)
        -> (fragments: [Fragment], active: Bool)
    {
        let others = try entitlements(of: user, except: change.current.id)
        let had = change.previous.flatMap { $0.holders.contains(user) ? [$0.heldContract(policy.catalog)] : nil } ?? []
        let has = change.current.holders.contains(user) ? [change.current.heldContract(policy.catalog)] : []
        let before = EntitlementSet(user: user, others + had, policy: policy)
        let after = EntitlementSet(user: user, others + has, policy: policy)
        let announcements = Announcement.announcements(
            before: before,
            after: after,
            contract: change.key,
            isBeside: change.isBeside
        )
        return (self.fragments(announcements, for: user, because: change), after.isActive)
    }

    /// What a user holds except consumables, as the last commit announced it.
    func entitlements(of user: UserID, except id: Int64?) throws(SQLiteError) -> [HeldContract] {
        let place: [Value] = [Value(user), Value(id)]
        let rows =
            try statements.otherContracts.all(place, read: contractRow)
            + statements.otherShares.all(place, read: contractRow)
        return rows.map { $0.heldContract(policy.catalog) }
    }

    func fragments(
        _ announcements: [Announcement],
        for user: UserID,
        because change: ContractChange? = nil
    ) -> [Fragment] {
        guard let stream = streams.stream(for: user) else { return [] }
        return announcements.map {
            // The fragment may show another contract, which was there before.
            let cause = $0.heldContract.contract == change?.key ? change : nil
            let values = $0.heldContract.templateValues(user: user, event: cause?.kind, reason: cause?.reason)
            return Fragment(
                stream: stream,
                action: "replace",
                target: $0.target.rawValue,
                content: .template(name: $0.name.rawValue, values: values)
            )
        }
    }

    func keyValues(_ first: String, _ key: ContractKey) -> [Value] {
        [.text(first), Value(key.provider), Value(key.environment), .text(key.app)]
    }
}

extension ContractRow {
    mutating func recomputeStatus(at now: Instant, _ policy: AccessPolicy) {
        status = contract.status(at: now, policy: policy) ?? status
        endsAt = contract.end(of: status, policy: policy)
    }
}

extension Notice {
    /// The facts of a contract's change.
    init(kind: EventKind, _ change: ContractChange, active: Bool?) {
        self.init(kind: kind)
        let row = change.current
        provider = change.key.provider
        environment = change.key.environment
        contract = change.key.lineage
        order = row.contract.token?.value
        user = row.user
        product = row.status.product
        previousState = change.previous?.status.state
        state = row.status.state
        accessUntil = row.status.accessUntil
        self.active = active
    }
}
