internal import Domain

extension LedgerStore {
    /// Determines again who owns these contracts. Commits and announces each change in an entry of its own, and goes on
    /// to the contracts whose owners follow from them.
    func settle<Answer>(
        _ rows: [ContractRow],
        into commit: inout Commit<Answer>,
        _ now: Instant
    ) throws(SQLiteError) {
        var waiting = rows
        // Each contract is settled once for each cause. The limit ends a circle of lineages.
        var rounds = 1000
        while let next = waiting.popLast(), rounds > 0 {
            rounds -= 1
            guard let change = try settled(next, now) else { continue }
            try append(change, as: change.moveKind, to: &commit, at: now)
            waiting += try relatives(of: change.current)
        }
    }

    /// Determines again who owns a contract, and saves that. Returns the change when the contract's users have changed.
    func settled(_ row: ContractRow, _ now: Instant) throws(SQLiteError) -> ContractChange? {
        guard let known = try contract(row.contract.key) else { return nil }
        var current = known
        try own(&current)
        guard current.holders != known.holders || current.userAt != known.userAt else { return nil }
        current.restate(at: now, policy)
        let change = ContractChange(previous: known, current: try save(current, over: known))
        return known.holders == current.holders ? nil : change
    }

    /// Contracts whose user may follow from this one's.
    func relatives(of row: ContractRow) throws(SQLiteError) -> [ContractRow] {
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
