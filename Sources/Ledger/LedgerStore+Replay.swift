internal import Domain

extension LedgerStore {
    /// Applies stored events once more, or tries out what that would change.
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
        var rebuilds: [(known: ContractRow, rebuild: ContractRebuild)] = []
        // Checked before the events are applied, because they change contracts and what is filed under them.
        for rebuild in batch.rebuilds {
            if let known = try current(rebuild) {
                rebuilds.append((known, rebuild))
            } else {
                commit.value.outdated.append(rebuild.known.key)
            }
        }
        for event in batch.events where try apply(event, into: &commit, now) != .quarantined {
            for index in rebuilds.indices { rebuilds[index].rebuild.fold(event) }
        }
        var touched: [ContractRow] = []
        for (before, rebuild) in rebuilds {
            guard let known = try contract(rebuild.known.key) else { continue }
            if let id = known.id {
                for (token, dates) in rebuild.tokens { _ = try note(token, dates, of: id) }
            }
            let row = try replace(known, by: rebuild.contract, into: &commit, now)
            commit.value.changes.append(ReplayChange(event: rebuild.event, before: before, after: row))
            if known.isRelatedOtherwise(than: row) { touched += [known, row] }
        }
        // Done after all rebuilds, because the owner of a contract may follow from several of them.
        for row in touched { try resolveOwners(of: dependents(of: row), into: &commit, at: now) }
        return commit
    }

    /// The contract as the rebuild read it; nil when the store has said something about it since, even something stale.
    private func current(_ rebuild: ContractRebuild) throws(SQLiteError) -> ContractRow? {
        guard let known = try contract(rebuild.known.key), let id = known.id, known.contract == rebuild.known else {
            return nil
        }
        let newest = try statements.newestEvent.first([.integer(id)]) { row in row.integer(0) }
        return newest ?? 0 == rebuild.newest ? known : nil
    }

    private func apply(
        _ event: Event,
        into commit: inout Commit<ReplayReport>,
        _ now: Instant
    ) throws(SQLiteError) -> Outcome {
        let before = try event.observation.map { said throws(SQLiteError) in try contract(said.contract) } ?? nil
        let made = try record(IncomingEvent(event: event, receivedAt: now, now: now, isReplay: true))
        commit.entries += made.entries
        commit.unclaimed += made.unclaimed
        if let key = event.observation?.contract, let after = try contract(key) {
            commit.value.changes.append(ReplayChange(event: event.id, before: before, after: after))
        }
        return made.value.outcome
    }

    private func replace<Value>(
        _ known: ContractRow,
        by contract: Contract,
        into commit: inout Commit<Value>,
        _ now: Instant
    ) throws(SQLiteError) -> ContractRow {
        var row = known
        row.contract = contract
        row.recomputeStatus(at: now, policy)
        try resolveOwner(of: &row)
        let isSeen = row.status != known.status || row.holders != known.holders
        guard isSeen || row.contract != known.contract || row.userAt != known.userAt else { return known }
        row = try save(row, over: known)
        guard isSeen else { return row }
        try append(ContractChange(previous: known, current: row), as: .contractUpdated, to: &commit, at: now)
        return row
    }

    /// Sends both elements, as they should look now, to the pages of `users` and of everyone who holds one of
    /// `contracts`.
    func rebroadcast(contracts: [Int64], users: [UserID], now: Instant) throws(SQLiteError) -> Commit<[UserID]> {
        var commit = Commit<[UserID]>(value: [])
        var holders = users
        for id in contracts {
            let owner = try statements.contractByID.first([.integer(id)], read: contractRow)?.user
            holders += (owner.map { [$0] } ?? []) + (try shares(of: id))
        }
        for user in holders where !commit.value.contains(user) {
            commit.value.append(user)
            let entitlements = EntitlementSet(user: user, try entitlements(of: user, except: nil), policy: policy)
            let fragments = fragments(Announcement.current(entitlements), for: user)
            guard !fragments.isEmpty else { continue }
            var notice = Notice(kind: .broadcast)
            notice.user = user
            notice.active = entitlements.isActive
            commit.entries.append(try append(notice, fragments, at: now))
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
            before: before?.status.state,
            after: after.status.state,
            accessUntilBefore: before?.status.accessUntil,
            accessUntil: after.status.accessUntil
        )
    }
}
