internal import Domain

extension LedgerStore {
    /// Applies stored events once more, tries what that would change, or tells their users' pages again.
    func replay(_ events: [Event], _ mode: ReplayMode, now: Instant) throws(SQLiteError) -> Commit<[ReplayChange]> {
        guard mode == .dryRun else { return try replayed(events, mode, now) }
        try statements.trial.run()
        let commit = try replayed(events, mode, now)
        try statements.rollbackTrial.run()
        try statements.releaseTrial.run()
        return Commit(value: commit.value)
    }

    private func replayed(_ events: [Event], _ mode: ReplayMode, _ now: Instant) throws(SQLiteError)
        -> Commit<[ReplayChange]>
    {
        var commit = Commit<[ReplayChange]>(value: [])
        var users: [String] = []
        for event in events {
            let before = try event.observation.map { said throws(SQLiteError) in try contract(said.contract) } ?? nil
            if mode != .broadcast {
                let arrival = Arrival(event: event, receivedAt: now, now: now, isReplay: true)
                let made = try record(arrival)
                commit.entries += made.entries
                commit.unclaimed += made.unclaimed
            }
            if let transfer = event.transfer { users += transfer.from + [transfer.to] }
            guard let key = event.observation?.contract else { continue }
            let after = try contract(key)
            users += after?.holders ?? []
            commit.value.append(ReplayChange(event: event.id, key, before: before, after: after))
        }
        guard mode == .broadcast else { return commit }
        var told: Set<String> = []
        for user in users where told.insert(user).inserted {
            if let entry = try tellAgain(user, now) { commit.entries.append(entry) }
        }
        return commit
    }

    /// Both elements of a user's pages, as they should look now.
    private func tellAgain(_ user: String, _ now: Instant) throws(SQLiteError) -> Entry? {
        let holdings = Holdings(user: user, try holdings(of: user, except: nil), policy: policy)
        let fragments = fragments(Announcement.current(holdings), for: user)
        guard !fragments.isEmpty else { return nil }
        var notice = Notice(kind: .broadcast)
        notice.user = user
        notice.active = holdings.isActive
        return try append(notice, fragments, at: now)
    }
}

extension ReplayChange {
    fileprivate init(event: String, _ key: ContractKey, before: ContractRow?, after: ContractRow?) {
        self.init(
            event: event,
            contract: key.lineage,
            user: after?.user,
            previousUser: before?.user,
            before: before?.standing.state,
            after: after?.standing.state,
            accessUntilBefore: before?.standing.accessUntil,
            accessUntil: after?.standing.accessUntil
        )
    }
}
