public import Domain

/// The commands, each as one decision or several.
extension LedgerRepository {
    public mutating func record(_ incoming: IncomingEvent, now: Instant) throws(EngineError) -> Commit<CommitResult> {
        try decide(at: now) { unit in try unit.record(incoming) }
    }

    /// Nil if the token is another user's.
    public mutating func place(_ request: OrderRequest, now: Instant) throws(EngineError) -> Commit<OrderResult?> {
        let token = OrderToken.random()
        return try decide(at: now) { unit in try unit.place(request, token: token) }
    }

    public mutating func setLanguage(
        _ language: LanguageTag,
        of user: UserID,
        now: Instant
    ) throws(EngineError) -> Commit<Void> {
        try decide(at: now) { unit in try unit.setLanguage(language, of: user) }
    }

    public mutating func broadcast(_ fragments: [Fragment], now: Instant) throws(EngineError) -> Commit<[Cursor]> {
        try decide(at: now) { unit in try unit.broadcast(fragments) }
    }

    public mutating func recordLostBroadcasts(now: Instant) throws(EngineError) -> Commit<Cursor> {
        try decide(at: now) { unit in try unit.recordLostBroadcasts() }
    }

    /// Sends both fragments, in their current state, to the pages of `users` and of everyone who holds one of
    /// `contracts`.
    public mutating func rebroadcast(
        contracts: [Int64],
        users: [UserID],
        now: Instant
    ) throws(EngineError) -> Commit<[UserID]> {
        let act = act
        var commit = Commit<[UserID]>(value: [])
        var holders = users
        for row in contracts { holders += try contract(row: row)?.holders ?? [] }
        for user in holders where !commit.value.contains(user) {
            commit.value.append(user)
            commit.add(try decide(at: now) { unit in try unit.rebroadcast(to: user) })
        }
        try note(act, about: commit.entries.compactMap(\.notice.user), at: now)
        return commit
    }

    /// Ends the access of contracts whose time has come, including those whose time came while the server was down.
    public mutating func endAccess(now: Instant) throws(EngineError) -> Commit<Void> {
        var commit = Commit<Void>(value: ())
        let ended = if let ended { ended } else { try endedContracts(at: now) }
        for key in ended {
            commit.add(try decide(at: now) { unit in try unit.endAccess(of: key) })
        }
        return commit
    }

    func endedContracts(at now: Instant) throws(EngineError) -> [ContractKey] {
        let found = try stored.endedContracts(at: now)
        for contract in found { known.learn(contract) }
        return found.map(\.key)
    }

    /// Nil for a number that no contract has.
    func contract(row: Int64) throws(EngineError) -> TrackedContract? {
        guard let found = try stored.contract(row: row) else { return nil }
        return try reading { try known.contract(found.key) }
    }

    /// The time at which the access of the next contract ends.
    public func nextEnd() throws(EngineError) -> Instant? {
        try statements.nextEnd.first { row in row.optionalInstant() } ?? nil
    }

    func countUnclaimed() throws(EngineError) -> Int {
        try statements.common.unclaimed.first { row in Int(row.integer()) } ?? 0
    }

    public func addUnclaimed(_ difference: Int) throws(EngineError) -> Int {
        let before = if let unclaimed { unclaimed } else { try countUnclaimed() }
        let count = before + difference
        if difference != 0 { try statements.setUnclaimed.run([.text(String(count))]) }
        return count
    }
}
