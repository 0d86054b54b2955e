internal import Domain

extension LedgerStore {
    /// Whose contract it is: the newest token's order, else whom it belonged to, else the contract that it replaces,
    /// else another contract of the same download of the app.
    func user(of contract: Contract, known: ContractRow?, order: Order?) throws(SQLiteError) -> String? {
        if let token = contract.token?.value {
            if let order, order.token == token { return order.user }
            let isSettled = known?.user != nil && known?.contract.token?.value == token
            if !isSettled, let order = try self.order(token), !order.contradicts(contract) { return order.user }
        }
        if let user = known?.user { return user }
        if let lineage = contract.previousLineage?.value,
            let user = try statements.userOfLineage.first(keyValues(lineage, contract.key), read: userColumn) ?? nil
        {
            return user
        }
        guard let download = contract.account?.value else { return nil }
        return try statements.userOfAppTransaction.first(keyValues(download, contract.key), read: userColumn) ?? nil
    }

    /// Now that `row` has a user, so have the contracts that could be traced to it only. Each gets its own entry.
    func claimRelatives<Answer>(
        of row: ContractRow,
        for user: String,
        into commit: inout Commit<Answer>,
        _ now: Instant
    ) throws(SQLiteError) {
        var claimed = [row]
        while let next = claimed.popLast() {
            let key = next.contract.key
            var waiting = try statements.waitingByLineage.all(keyValues(key.lineage, key), read: contractRow)
            if let download = next.contract.account?.value {
                waiting += try statements.waitingByAppTransaction.all(keyValues(download, key), read: contractRow)
            }
            var seen: Set<ContractKey> = []
            for relative in waiting where seen.insert(relative.contract.key).inserted {
                claimed.append(try claim(relative, for: user, into: &commit, now))
            }
        }
    }

    /// Gives an unclaimed contract its user.
    func claim<Answer>(
        _ row: ContractRow,
        for user: String,
        into commit: inout Commit<Answer>,
        _ now: Instant
    ) throws(SQLiteError) -> ContractRow {
        var claimed = row
        claimed.user = user
        claimed.standing = row.contract.standing(at: now) ?? row.standing
        let change = ContractChange(previous: row, current: try save(claimed, over: row))
        let (fragments, active) = try announce(change)
        let notice = Notice(kind: .orderClaimed, change, active: active)
        commit.entries.append(try append(notice, fragments, at: now))
        commit.unclaimed -= 1
        return change.current
    }
}

extension Order {
    func contradicts(_ contract: Contract) -> Bool {
        contradicts(provider: contract.key.provider, group: contract.group?.value, kind: contract.kind)
    }
}

private func userColumn(_ row: Row) -> String? { row.optionalText(0) }

func contractRow(_ row: Row) throws(SQLiteError) -> ContractRow { try ContractRow(row) }
