internal import Domain

extension LedgerStore {
    /// Commits what a store said: the event, what it changes, and what pages are told, in one transaction.
    func record(_ event: Event, receivedAt: Instant, now: Instant) throws(SQLiteError) -> Commit<Receipt> {
        let id: [Value] = [.text(event.id), Value(event.provider), Value(event.environment)]
        if let first = try statements.findEvent.first(id, read: { row in row.integer(0) }) {
            return Commit(value: Receipt(outcome: .duplicate, event: event.id, cursor: cursor(first)))
        }
        guard let observation = event.observation else {
            return try file(event, receivedAt, .ignored, Notice(kind: event.kind), [], now)
        }
        let order = try observation.token.map { token throws(SQLiteError) in try self.order(token) } ?? nil
        let known = try contract(observation.contract)
        let group = observation.group ?? known?.contract.group?.value
        let (provider, kind) = (observation.contract.provider, observation.kind)
        if let order, order.contradicts(provider: provider, group: group, kind: kind) {
            return try quarantine(event, observation, order, receivedAt, now)
        }
        return try apply(observation, of: event, receivedAt, to: known, order, now)
    }

    private func apply(
        _ observation: Observation,
        of event: Event,
        _ receivedAt: Instant,
        to known: ContractRow?,
        _ order: Order?,
        _ now: Instant
    ) throws(SQLiteError) -> Commit<Receipt> {
        var contract = known?.contract ?? Contract(key: observation.contract, kind: observation.kind)
        let isNews = contract.apply(observation, event: event.id, signedAt: event.signedAt)
        guard let standing = contract.standing(at: now) else {
            return try file(event, receivedAt, .ignored, Notice(kind: event.kind), [], now)
        }
        if let known, !isNews {
            let notice = Notice(kind: event.kind, ContractChange(previous: known, current: known), active: nil)
            return try file(event, receivedAt, .stale, notice, [], now)
        }
        let user = try user(of: contract, known: known, order: order)
        let row = ContractRow(id: known?.id, contract: contract, user: user, standing: standing)
        let change = ContractChange(previous: known, current: try save(row, over: known))
        let (fragments, active) = try announce(change)
        let changed = known?.standing != standing || known?.user != user
        let outcome: Outcome = user == nil ? .unclaimed : changed ? .applied : .ignored
        let notice = Notice(kind: event.kind, change, active: active)
        var commit = try file(event, receivedAt, outcome, notice, fragments, now)
        commit.unclaimed = (user == nil ? 1 : 0) - (known != nil && known?.user == nil ? 1 : 0)
        if let user, known?.user == nil { try claimRelatives(of: change.current, for: user, into: &commit, now) }
        return commit
    }

    private func quarantine(
        _ event: Event,
        _ observation: Observation,
        _ order: Order,
        _ receivedAt: Instant,
        _ now: Instant
    ) throws(SQLiteError) -> Commit<Receipt> {
        var notice = Notice(kind: event.kind)
        notice.contract = observation.contract.lineage
        notice.order = order.token
        notice.product = observation.snapshot?.product ?? observation.transaction?.product
        return try file(event, receivedAt, .quarantined, notice, [], now)
    }

    /// The event and its entry.
    private func file(
        _ event: Event,
        _ receivedAt: Instant,
        _ outcome: Outcome,
        _ notice: Notice,
        _ fragments: [Fragment],
        _ now: Instant
    ) throws(SQLiteError) -> Commit<Receipt> {
        var notice = notice
        notice.provider = event.provider
        notice.environment = event.environment
        notice.type = event.type
        notice.subtype = event.subtype
        notice.event = event.id
        notice.outcome = outcome
        let entry = try append(notice, fragments, at: now)
        let values: [Value] = [
            .integer(entry.position), Value(event.provider), Value(event.environment), .text(event.id),
            .text(event.app), Value(event.signedAt), Value(receivedAt),
        ]
        try statements.insertEvent.run(values, body: event.body)
        let receipt = Receipt(outcome: outcome, event: event.id, cursor: cursor(entry.position))
        return Commit(value: receipt, entries: [entry])
    }
}
