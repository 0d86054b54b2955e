internal import Domain

/// One event on its way into the ledger.
struct IncomingEvent {
    var event: Event
    var claim: Claim?
    var receivedAt: Instant
    var now: Instant
    /// True when the event is applied once more: it is stored already, and matters only where it changes something.
    var isReplay = false
    /// True for a further product of a purchase that has just been made.
    var isBeside = false
}

extension LedgerStore {
    /// Commits what a store said about one contract, or about none: the event, what it changes, and what pages are
    /// told, in one transaction.
    func recordOne(_ incoming: IncomingEvent) throws(SQLiteError) -> Commit<CommitResult> {
        let event = incoming.event
        if !incoming.isReplay, let first = try position(of: event) { return try answerAgain(incoming, first) }
        if let transfer = event.transfer { return try record(transfer, incoming) }
        guard let observation = event.statement else { return try recordAccount(incoming) }
        let order = try observation.token.map { token throws(SQLiteError) in try self.order(token) } ?? nil
        let known = try contract(observation.contract)
        let group = observation.group ?? known?.contract.group?.value
        let (provider, kind) = (observation.contract.provider, observation.kind)
        if let order, order.contradicts(provider: provider, group: group, kind: kind) {
            return try quarantine(observation, order, incoming)
        }
        return try apply(observation, incoming, to: known)
    }

    private func position(of event: Event) throws(SQLiteError) -> Int64? {
        let id: [Value] = [.text(event.id), Value(event.provider), Value(event.environment)]
        return try statements.findEvent.first(id) { row in row.integer(0) }
    }

    private func apply(
        _ observation: Observation,
        _ incoming: IncomingEvent,
        to known: ContractRow?
    ) throws(SQLiteError) -> Commit<CommitResult> {
        let (event, now) = (incoming.event, incoming.now)
        var contract = known?.contract ?? Contract(key: observation.contract, kind: observation.kind)
        var isNews = contract.apply(observation, event: event.id, signedAt: event.signedAt)
        guard let status = contract.status(at: now, policy: policy) else {
            return try file(incoming, .ignored, Notice(kind: event.kind), [], contract: nil)
        }
        let said = SaidToken(observation, of: event)
        var isOwnerNews = known.map { row in row.contract.mayHaveOtherOwner(than: contract) } ?? true
        if let id = known?.id, let said, !known.repeats(said), try note(said.token, TokenDates(said), of: id) {
            isNews = true
            isOwnerNews = true
        }
        let end = contract.end(of: status, policy: policy)
        var row = known ?? ContractRow(id: nil, contract: contract, status: status, endsAt: end)
        (row.contract, row.status, row.endsAt) = (contract, status, end)
        if isOwnerNews { try resolveOwner(of: &row, said: said) }
        if isNews { row = try save(row, over: known) }
        if known == nil, let said, let id = row.id { _ = try note(said.token, TokenDates(said), of: id) }
        var claimed: ClaimOutcome?
        if let claim = incoming.claim {
            let unclaimed = row
            claimed = try apply(claim, of: observation, on: &row, incoming)
            if row.holders != unclaimed.holders || row.userAt != unclaimed.userAt {
                row = try save(row, over: unclaimed)
            }
        }
        let change = ContractChange(previous: known, current: row, isBeside: incoming.isBeside)
        return try file(change, isNews, claimed, incoming)
    }

    /// Files the event of a contract, what it changed, and what follows for related contracts.
    private func file(
        _ change: ContractChange,
        _ isNews: Bool,
        _ claimed: ClaimOutcome?,
        _ incoming: IncomingEvent
    ) throws(SQLiteError) -> Commit<CommitResult> {
        var incoming = incoming
        // A buyer who is refused buys again or asks for a refund, so the store must not think that the purchase was
        // delivered.
        if claimed == .refused { incoming.event.jobs.removeAll { $0.kind == .finish } }
        let (known, row) = (change.previous, change.current)
        let hasMoved = known?.holders != row.holders
        guard isNews || hasMoved else {
            let notice = Notice(kind: incoming.event.kind, change, active: nil)
            var commit = try file(incoming, .stale, notice, [], contract: row.id)
            commit.value.claim = claimed
            return commit
        }
        let isTransfer = claimed == .moved || claimed == .shared
        let kind = isTransfer ? .contractTransferred : try name(of: incoming.event.kind, change)
        var change = change
        (change.kind, change.reason) = (kind, incoming.event.subtype)
        let (fragments, active) = try announce(change)
        let outcome: Outcome =
            row.user == nil ? .unclaimed : known?.status != row.status || hasMoved ? .applied : .ignored
        let notice = Notice(kind: kind, change, active: active)
        var commit = try file(incoming, outcome, notice, fragments, contract: row.id)
        commit.value.claim = claimed
        commit.unclaimed = change.unclaimed
        if known?.isRelatedOtherwise(than: row) ?? true {
            try resolveOwners(of: dependents(of: row), into: &commit, at: incoming.now)
        }
        return commit
    }

    /// Answers an event that was committed before. It changes nothing, but a claim of another user that comes with it
    /// may.
    private func answerAgain(_ incoming: IncomingEvent, _ first: Int64) throws(SQLiteError) -> Commit<CommitResult> {
        let event = incoming.event
        var commit = Commit(value: CommitResult(outcome: .duplicate, event: event.id, cursor: cursor(first)))
        guard let claim = incoming.claim, let observation = event.observation else { return commit }
        guard let known = try contract(observation.contract) else {
            commit.value.claim = .refused
            return commit
        }
        var row = known
        commit.value.claim = try apply(claim, of: observation, on: &row, incoming)
        guard row.holders != known.holders || row.userAt != known.userAt else { return commit }
        row.recomputeStatus(at: incoming.now, policy)
        let change = ContractChange(previous: known, current: try save(row, over: known))
        try append(change, as: change.moveKind, to: &commit, at: incoming.now)
        commit.value.cursor = cursor(try head())
        try resolveOwners(of: dependents(of: change.current), into: &commit, at: incoming.now)
        return commit
    }

    private func quarantine(
        _ observation: Observation,
        _ order: Order,
        _ incoming: IncomingEvent
    ) throws(SQLiteError) -> Commit<CommitResult> {
        var notice = Notice(kind: incoming.event.kind)
        notice.contract = observation.contract.lineage
        notice.order = order.token
        notice.product = observation.snapshot?.product ?? observation.transaction?.product
        var commit = try file(incoming, .quarantined, notice, [], contract: nil)
        commit.value.claim = incoming.claim.map { _ in .refused }
        return commit
    }

    /// Files an event that belongs to no contract. If it concerns a buyer (consent rescinded), the pages of that
    /// buyer's users reload, and the app's own server decides what they show.
    private func recordAccount(_ incoming: IncomingEvent) throws(SQLiteError) -> Commit<CommitResult> {
        let event = incoming.event
        var notice = Notice(kind: event.kind)
        guard let account = event.account else { return try file(incoming, .ignored, notice, [], contract: nil) }
        let key = ContractKey(provider: event.provider, environment: event.environment, app: event.app, lineage: "")
        var users: Set<UserID> = []
        for row in try statements.contractsByAccount.all(keyValues(account, key), read: contractRow) {
            users.formUnion(row.holders)
            if let id = row.id { users.formUnion(try shares(of: id)) }
        }
        notice.user = users.min()
        // Pages are not told what the store only asks about (a chargeback under review).
        let told = event.kind == .consentRescinded ? users.sorted() : []
        let fragments = told.compactMap { streams.stream(for: $0) }.map {
            Fragment(stream: $0, action: "refresh", content: .none)
        }
        return try file(incoming, .ignored, notice, fragments, contract: nil)
    }

    /// Writes the event, its entry, and the jobs that follow from it.
    func file(
        _ incoming: IncomingEvent,
        _ outcome: Outcome,
        _ notice: Notice,
        _ fragments: [Fragment],
        contract: Int64?
    ) throws(SQLiteError) -> Commit<CommitResult> {
        let event = incoming.event
        let isStored = incoming.isReplay ? try position(of: event) != nil : false
        if isStored, let contract {
            let id: [Value] = [.text(event.id), Value(event.provider), Value(event.environment)]
            try statements.refileEvent.run([.integer(contract)] + id)
        }
        if isStored, outcome != .applied {
            return Commit(value: CommitResult(outcome: outcome, event: event.id, cursor: cursor(try head())))
        }
        var notice = notice
        notice.provider = event.provider
        notice.environment = event.environment
        notice.type = event.type
        notice.subtype = event.subtype
        notice.event = event.id
        notice.outcome = outcome
        let entry = try append(notice, fragments, at: incoming.now)
        let receipt = CommitResult(outcome: outcome, event: event.id, cursor: cursor(entry.position))
        guard !isStored else { return Commit(value: receipt, entries: [entry]) }
        let values: [Value] = [
            .integer(entry.position), Value(event.provider), Value(event.environment), .text(event.id),
            .text(event.app), Value(event.signedAt), Value(incoming.receivedAt), Value(contract),
        ]
        try statements.insertEvent.run(values, body: event.body)
        // Acknowledging a purchase that nobody gets would keep the buyer's money.
        let jobs = event.jobs.filter { outcome != .quarantined || $0.kind == .forward }
        try queue(jobs, position: entry.position, at: incoming.now)
        return Commit(value: receipt, entries: [entry])
    }
}

extension ContractRow {
    /// True when contracts whose users follow from this one's may have other users than they would with `other`.
    func isRelatedOtherwise(than other: ContractRow) -> Bool {
        holders != other.holders || userAt != other.userAt || contract.identities != other.contract.identities
    }
}

extension Contract {
    /// The values by which contracts that follow from this one are found.
    fileprivate var identities: [String?] { [account?.value, previousLineage?.value] }

    /// True when the two may have different owners. Tokens are separate facts, but among equally old ones the newest
    /// statement's counts.
    fileprivate func mayHaveOtherOwner(than other: Contract) -> Bool {
        token?.value != other.token?.value || storeUser != other.storeUser || identities != other.identities
            || group?.value != other.group?.value || kind != other.kind
    }
}

extension ContractRow? {
    /// True when the newest statement carried the same token. This one is not older, so it can tell nothing new unless
    /// somebody has bought again.
    fileprivate func repeats(_ said: SaidToken) -> Bool {
        guard !said.isPurchase, let token = self?.contract.token else { return false }
        return token.value == said.token && token.signedAt <= said.at
    }
}
