internal import Domain

extension LedgerStore {
    /// Applies stored events once more, or tries what that would change.
    func replay(_ batch: ReplayBatch, isTrial: Bool, now: Instant) throws(SQLiteError) -> Commit<ReplayReport> {
        guard isTrial else { return try replay(batch, now) }
        try statements.trial.run()
        let commit = try replay(batch, now)
        try statements.rollbackTrial.run()
        try statements.releaseTrial.run()
        return Commit(value: commit.value)
    }

    private func replay(_ batch: ReplayBatch, _ now: Instant) throws(SQLiteError) -> Commit<ReplayReport> {
        var commit = Commit(value: ReplayReport())
        for event in batch.events {
            let before = try event.observation.map { said throws(SQLiteError) in try contract(said.contract) } ?? nil
            let made = try record(Arrival(event: event, receivedAt: now, now: now, isReplay: true))
            commit.entries += made.entries
            commit.unclaimed += made.unclaimed
            guard let key = event.observation?.contract, let after = try contract(key) else { continue }
            commit.value.changes.append(ReplayChange(event: event.id, before: before, after: after))
        }
        for rebuild in batch.rebuilds {
            guard let known = try contract(rebuild.known.key), known.contract == rebuild.known else {
                commit.value.outdated.append(rebuild.known.key)
                continue
            }
            let row = try replace(known, by: rebuild.contract, into: &commit, now)
            commit.value.changes.append(ReplayChange(event: rebuild.event, before: known, after: row))
        }
        return commit
    }

    private func replace<Value>(
        _ known: ContractRow,
        by contract: Contract,
        into commit: inout Commit<Value>,
        _ now: Instant
    ) throws(SQLiteError) -> ContractRow {
        var row = known
        row.contract = contract
        row.restate(at: now, policy)
        try own(&row)
        let isSeen = row.standing != known.standing || row.holders != known.holders
        guard isSeen || row.contract != known.contract else { return known }
        row = try save(row, over: known)
        guard isSeen else { return row }
        try append(ContractChange(previous: known, current: row), as: .contractUpdated, to: &commit, at: now)
        try settle(relatives(of: row), into: &commit, now)
        return row
    }

    /// Both elements of the pages of everyone who holds one of `contracts`, as they should look now.
    func tell(contracts: [Int64], now: Instant) throws(SQLiteError) -> Commit<[String]> {
        var commit = Commit<[String]>(value: [])
        for id in contracts {
            let owner = try statements.contractByID.first([.integer(id)], read: contractRow)?.user
            for user in (owner.map { [$0] } ?? []) + (try shares(of: id)) where !commit.value.contains(user) {
                commit.value.append(user)
                let holdings = Holdings(user: user, try holdings(of: user, except: nil), policy: policy)
                let fragments = fragments(Announcement.current(holdings), for: user)
                guard !fragments.isEmpty else { continue }
                var notice = Notice(kind: .broadcast)
                notice.user = user
                notice.active = holdings.isActive
                commit.entries.append(try append(notice, fragments, at: now))
            }
        }
        return commit
    }
}

extension ReplayChange {
    fileprivate init(event: String, before: ContractRow?, after: ContractRow) {
        self.init(
            event: event,
            contract: after.contract.key.lineage,
            user: after.user,
            previousUser: before?.user,
            before: before?.standing.state,
            after: after.standing.state,
            accessUntilBefore: before?.standing.accessUntil,
            accessUntil: after.standing.accessUntil
        )
    }
}
