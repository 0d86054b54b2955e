import Crypto
import Domain

/// Writes the changes that a decision returns.
extension LedgerRepository {
    mutating func write(_ changes: Changes, at now: Instant) throws(EngineError) {
        for (current, previous) in changes.contracts { try write(current, over: previous) }
        if let erasure = changes.erasure { try forget(erasure) }
        for (key, token, dates) in changes.tokens { try write(token, dates, of: key) }
        for (key, claim) in changes.claims { try write(claim, of: key) }
        for transfer in changes.transfers {
            try sql.insert(
                into: "transfers",
                "from_user, provider, environment, at, to_user",
                conflict: "ON CONFLICT DO NOTHING"
            ).run(transfer.source.values + [Value(transfer.target.at), Value(transfer.target.user)])
        }
        for (key, charge) in changes.charges {
            try sql.insert(into: "charges", "contract, id, \(ChargeRow.columns)", replacing: 2)
                .run([Value(stored.ids[key]), .text(charge.id)] + ChargeRow.values(charge))
        }
        for order in changes.orders {
            try sql.insert(into: "orders", "\(OrderRow.columns), created_at")
                .run(OrderRow.values(order) + [Value(now)])
        }
        for order in changes.changedOrders {
            try sql(
                """
                UPDATE orders SET product = ?, provider = ?, product_group = ?, kind = ?, trace = ?, context = ?
                WHERE token = ?
                """
            ).run(OrderRow.changedValues(order))
        }
        for (user, locale) in changes.locales {
            try sql.insert(into: "locales", "user, language, time_zone", replacing: 1)
                .run([Value(user), Value(locale.language?.text), Value(locale.timeZone?.text)])
        }
        for ending in changes.endedPages {
            try sql.insert(into: "ended_pages", "digest, position", replacing: 1)
                .run([.text(erasureKey.digest(of: .user(ending.user))), .integer(ending.position)])
        }
        for entry in changes.entries { try write(entry) }
        for event in changes.events { try write(event) }
        for (event, contract) in changes.refiledEvents { try refile(event, to: contract) }
        for queued in changes.jobs { try queue(queued.job, position: queued.position, at: now) }
        news.add(changes)
        for purchase in changes.hooks.compactMap(\.purchase) {
            news.purchases[purchase.contract] = stored.ids[purchase.contract]
        }
        hooksAt = now
        if !changes.buried.isEmpty || !changes.lifted.isEmpty { try writeTombstones(of: changes) }
        if let position = changes.lostBroadcasts { try setMeta("broadcasts_lost", "\(position)") }
        if let act, changes.areAnAct { try write(act, at: now) }
    }

    /// Once, however many decisions a command takes. An erased user stays unnamed, also when somebody looks whether
    /// anything is left.
    private mutating func write(_ act: Act, at now: Instant) throws(EngineError) {
        var act = act
        if let user = act.user, try reading({ try known.isBuried(.user(user)) }) { act.user = nil }
        try sql.insert(into: "audit", AuditRow.columns).run(AuditRow.values(act, at: now))
        self.act = nil
    }

    /// For what changes nothing but what is known of it.
    mutating func note(_ act: Act, at now: Instant) throws(EngineError) { try write(act, at: now) }

    /// Of a range, or of events by their ids: beside the act's own entry, one for each user whom it has changed or told.
    mutating func note(_ act: Act?, about users: [UserID], at now: Instant) throws(EngineError) {
        guard let act, act.user == nil else { return }
        for user in Set(users).sorted(by: { $0.text < $1.text }) { try write(act.about(user), at: now) }
    }

    private mutating func write(_ current: TrackedContract, over previous: TrackedContract?) throws(EngineError) {
        guard let previous, let row = stored.ids[current.key] else {
            let row = try nextContract()
            stored.ids[current.key] = row
            try sql.insert(into: "contracts", "id, \(ContractRow.columns)")
                .run([.integer(row)] + current.keyValues + current.identityValues + current.stateValues)
            return try writeShares(of: current, over: [])
        }
        if current.hasOtherIdentity(than: previous) {
            try sql("UPDATE contracts SET \(assignments(ContractRow.identityColumns)) WHERE id = ?", waits: true)
                .run(current.identityValues + [.integer(row)])
        }
        try sql("UPDATE contracts SET \(assignments(ContractRow.stateColumns)) WHERE id = ?", waits: true)
            .run(current.stateValues + [.integer(row)])
        try writeShares(of: current, over: previous.shares)
    }

    private func assignments(_ columns: [String]) -> String { columns.map { "\($0) = ?" }.joined(separator: ", ") }

    /// Chosen here, because waiting for the engine's choice would cost a round trip.
    private mutating func nextContract() throws(EngineError) -> Int64 {
        let last = if let lastContract { lastContract } else { try findLastContract() }
        lastContract = last + 1
        return last + 1
    }

    private func writeShares(of contract: TrackedContract, over previous: [UserID]) throws(EngineError) {
        guard let row = stored.ids[contract.key], contract.shares != previous else { return }
        try sql("DELETE FROM shares WHERE contract = ?").run([.integer(row)])
        for (ordinal, user) in contract.shares.enumerated() {
            try sql("INSERT INTO shares (user, contract, ordinal) VALUES (?, ?, ?)")
                .run([Value(user), .integer(row), .integer(Int64(ordinal))])
        }
    }

    private func write(_ token: OrderToken, _ dates: TokenDates, of key: ContractKey) throws(EngineError) {
        try sql.insert(into: "tokens", "contract, token, at, bought_at", replacing: 2).run([
            Value(stored.ids[key]), .text(token.description), Value(dates.first), Value(dates.last),
        ])
    }

    private func write(_ claim: ClaimHistory, of key: ContractKey) throws(EngineError) {
        try sql.insert(
            into: "claims",
            "contract, user, first_at, first_was_active, at, was_active, proof_at, refused_at",
            replacing: 2
        ).run([
            Value(stored.ids[key]), Value(claim.user),
            Value(claim.first?.at), Value(claim.first?.ground == .claim(whileActive: true)),
            Value(claim.last?.at), Value(claim.last?.ground == .claim(whileActive: true)), Value(claim.proofAt),
            Value(claim.refusedAt),
        ])
    }

    private mutating func write(_ appended: AppendedEntry) throws(EngineError) {
        let entry = appended.entry
        entriesAt = entry.committedAt
        try sql.insert(into: "entries", "position, \(EntryRow.columns)")
            .run([.integer(entry.position)] + EntryRow.values(entry.notice, at: entry.committedAt))
        for row in FragmentRow.values(appended.stored, at: entry.position) {
            try sql.insert(into: "fragments", FragmentRow.columns).run(row)
        }
    }

    private mutating func write(_ filed: FiledEvent) throws(EngineError) {
        let event = filed.event
        let id = filed.isErased ? erasureKey.digest(of: .event(EventKey(event))) : event.id
        let values: [Value] = [
            .integer(filed.position), Value(event.provider), Value(event.environment), .text(id),
            .text(event.app), Value(event.signedAt), Value(filed.receivedAt),
            Value(filed.contract.flatMap { stored.ids[$0] }),
            try digest(of: event.body.isEmpty ? nil : event.header),
        ]
        try sql.insert(
            into: "events",
            "position, provider, environment, event, app, signed_at, received_at, contract, header, body"
        ).run(values, body: event.body)
        if [.refundCompleted, .refundDeclined].contains(event.kind), let charge = event.observation?.transaction {
            try endRefundQuestion(about: charge.id, at: event.provider, decidedAt: event.signedAt)
        }
    }

    private func refile(_ event: EventKey, to contract: ContractKey) throws(EngineError) {
        try sql(
            """
            UPDATE events SET contract = ?1
            WHERE position = (
                SELECT position FROM \(sql.eventIDs) WHERE event = ?2 AND provider = ?3 AND environment = ?4
            ) AND contract IS DISTINCT FROM ?1
            """
        ).run([Value(stored.ids[contract])] + event.values)
    }

    /// Of a header that is in its table from here on. It goes there once in a transaction, and stays: it names nobody.
    private mutating func digest(of header: [UInt8]?) throws(EngineError) -> Value {
        guard let header else { return .null }
        if let known = headers.first(where: { $0.text == header }) { return .bytes(known.digest) }
        let digest = SHA256.hash(header)
        try sql.insert(into: "headers", "digest, text", conflict: "ON CONFLICT (digest) DO NOTHING")
            .run([.bytes(digest), .bytes(header)])
        headers.append((header, digest))
        return .bytes(digest)
    }

    private func queue(_ job: Job, position: Int64?, at now: Instant) throws(EngineError) {
        let isQuestion = job.kind == .refundRequest
        if isQuestion, try !isNews(job, at: now) { return }
        try sql.insert(
            into: "jobs",
            "kind, provider, environment, app, subject, detail, deadline, position, queued_at, due_at, attempts",
            conflict: "ON CONFLICT DO NOTHING"
        ).run([
            Value(job.kind), Value(job.provider), Value(job.environment), .text(job.app), .text(job.subject),
            .text(job.detail ?? ""), Value(job.deadline), Value(position), Value(now),
            Value(isQuestion ? job.deadline : now), .integer(0),
        ])
    }
}

extension EventKey {
    var values: [Value] { [.text(id), Value(provider), Value(environment)] }
}

extension TransferSource {
    /// No id from outside contains a control character, so those of an alias are rows of their own.
    var values: [Value] {
        [isAlias ? .text("\u{1}\(user)") : Value(user), Value(provider), Value(environment)]
    }
}

extension ContractKey {
    /// A text of the key's kind, and the scope in which the store's texts of that kind are unique.
    func values(first: String) -> [Value] {
        [.text(first), Value(provider), Value(environment), .text(app)]
    }
}
