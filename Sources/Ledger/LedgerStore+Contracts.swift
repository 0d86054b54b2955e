internal import Domain

/// A contract before and after a command, as far as pages care.
struct ContractChange {
    var previous: ContractRow?
    var current: ContractRow

    var key: ContractKey { current.contract.key }
    var isMove: Bool { previous?.user != nil && previous?.user != current.user }
}

extension LedgerStore {
    func contract(_ key: ContractKey) throws(SQLiteError) -> ContractRow? {
        try statements.findContract.first(keyValues(key.lineage, key)) { row throws(SQLiteError) in
            try ContractRow(row)
        }
    }

    /// Writes `row` and returns it with its id.
    func save(_ row: ContractRow, over previous: ContractRow?) throws(SQLiteError) -> ContractRow {
        guard let id = row.id else {
            try statements.insertContract.run(row.keyValues + row.identityValues + row.stateValues)
            var saved = row
            saved.id = connection.lastInsertedRow
            return saved
        }
        if let previous, row.hasOtherIdentity(than: previous) {
            try statements.updateIdentity.run(row.identityValues + [.integer(id)])
        }
        try statements.updateState.run(row.stateValues + [.integer(id)])
        return row
    }

    /// What the change puts on the pages of the user and, when the contract moved, of the one who lost it.
    /// `active` is whether the user has access after it; nil without a user.
    func announce(_ change: ContractChange) throws(SQLiteError) -> (fragments: [Fragment], active: Bool?) {
        var fragments: [Fragment] = []
        if change.isMove, let loser = change.previous?.user {
            fragments += try page(of: loser, change).fragments
        }
        guard let user = change.current.user else { return (fragments, nil) }
        let page = try page(of: user, change)
        return (fragments + page.fragments, page.active)
    }

    private func page(of user: String, _ change: ContractChange) throws(SQLiteError)
        -> (fragments: [Fragment], active: Bool)
    {
        let place: [Value] = [.text(user), Value(change.current.id)]
        let others = try statements.otherContracts.all(place, read: contractRow).map(\.holding)
        let had = change.previous.flatMap { $0.user == user ? [$0.holding] : nil } ?? []
        let has = change.current.user == user ? [change.current.holding] : []
        let before = Holdings(user: user, others + had, policy: policy)
        let after = Holdings(user: user, others + has, policy: policy)
        guard let stream = streams.stream(for: user) else { return ([], after.isActive) }
        let fragments = Announcement.announcements(before: before, after: after, contract: change.key).map {
            Fragment(
                stream: stream,
                action: "replace",
                target: $0.target.rawValue,
                content: .template(name: $0.name.rawValue, values: $0.holding.templateValues(user: user))
            )
        }
        return (fragments, after.isActive)
    }

    func keyValues(_ first: String, _ key: ContractKey) -> [Value] {
        [.text(first), Value(key.provider), Value(key.environment), .text(key.app)]
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
        product = row.standing.product
        previousState = change.previous?.standing.state
        state = row.standing.state
        accessUntil = row.standing.accessUntil
        self.active = active
    }
}
