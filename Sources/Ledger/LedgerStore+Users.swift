internal import Domain

extension LedgerStore {
    /// Determines again who owns these contracts. Commits and announces each change in an entry of its own, and goes on
    /// to the contracts whose owners follow from them.
    func resolveOwners<Answer>(
        of rows: [ContractRow],
        into commit: inout Commit<Answer>,
        at now: Instant
    ) throws(SQLiteError) {
        var waiting = rows
        // Each contract is resolved once for each cause. The limit ends a circle of lineages.
        var rounds = 1000
        while let next = waiting.popLast(), rounds > 0 {
            rounds -= 1
            guard let change = try resolveOwnerAgain(of: next, at: now) else { continue }
            try append(change, as: change.moveKind, to: &commit, at: now)
            waiting += try dependents(of: change.current)
        }
    }

    /// Determines again who owns a contract, and saves that. Returns the change when the contract's users have changed.
    func resolveOwnerAgain(of row: ContractRow, at now: Instant) throws(SQLiteError) -> ContractChange? {
        guard let known = try contract(row.contract.key) else { return nil }
        var current = known
        try resolveOwner(of: &current)
        guard current.holders != known.holders || current.userAt != known.userAt else { return nil }
        current.recomputeStatus(at: now, policy)
        let change = ContractChange(previous: known, current: try save(current, over: known))
        return known.holders == current.holders ? nil : change
    }

    /// Contracts whose user may follow from this one's.
    func dependents(of row: ContractRow) throws(SQLiteError) -> [ContractRow] {
        let key = row.contract.key
        var rows = try statements.contractsByPreviousLineage.all(keyValues(key.lineage, key), read: contractRow)
        if let account = row.contract.account?.value {
            rows += try statements.contractsByAccount.all(keyValues(account, key), read: contractRow)
        }
        rows += try lines(of: key)
        return rows.filter { $0.userAt == nil && $0.contract.key != key }
    }
}

extension Order {
    func contradicts(_ contract: Contract) -> Bool {
        contradicts(provider: contract.key.provider, group: contract.group?.value, kind: contract.kind)
    }
}

func contractRow(_ row: Row) throws(SQLiteError) -> ContractRow { try ContractRow(row) }
