internal import Domain

extension LedgerStore {
    /// Commits what a store said about every product of the purchase, in one transaction.
    func record(_ incoming: IncomingEvent) throws(SQLiteError) -> Commit<CommitResult> {
        let lines = incoming.event.lines
        let isNew = lines.isEmpty ? false : try isNew(incoming.event)
        var commit = try recordOne(incoming)
        for line in lines {
            var further = incoming.saying(line)
            further.isBeside = isNew
            commit.add(try recordOne(further))
        }
        if incoming.event.isWhole, let key = incoming.event.observation?.contract {
            for event in try missingLines(of: key, incoming.event) {
                commit.add(try recordOne(incoming.saying(event, claim: nil)))
            }
        }
        return commit
    }

    /// True when the purchase gives no access yet.
    private func isNew(_ event: Event) throws(SQLiteError) -> Bool {
        guard let key = event.observation?.contract else { return false }
        return try contract(key)?.status.isActive != true
    }

    /// A store does not say that a product was taken out of a purchase; it just no longer lists it. So a further
    /// product has ended when the purchase's newest statement is newer than the product's own, in whatever order the
    /// two came.
    private func missingLines(of key: ContractKey, _ event: Event) throws(SQLiteError) -> [Event] {
        guard let stated = try contract(key)?.contract.snapshot?.snapshot.signedAt else { return [] }
        return try lines(of: key).compactMap { line in
            guard line.contract.kind == .subscription, let last = line.contract.snapshot?.snapshot,
                last.signedAt < stated, last.state != .expired, last.state != .revoked
            else { return nil }
            var end = event.ending(line.contract.key, product: last.product, at: stated)
            // A product whose paid period ended before that has ended with its period.
            end.observation?.snapshot?.accessUntil = min(last.accessUntil ?? stated, stated)
            return end
        }
    }

    /// The contracts of a purchase's further products.
    func lines(of key: ContractKey) throws(SQLiteError) -> [ContractRow] {
        guard let (lower, upper) = key.lineBounds else { return [] }
        let bounds: [Value] = [.text(lower), .text(upper)]
        let place: [Value] = [Value(key.provider), Value(key.environment), .text(key.app)]
        return try statements.contractsByPurchase.all(bounds + place, read: contractRow)
    }
}

extension IncomingEvent {
    fileprivate func saying(_ event: Event) -> IncomingEvent { saying(event, claim: claim) }

    fileprivate func saying(_ event: Event, claim: Claim?) -> IncomingEvent {
        var incoming = self
        incoming.event = event
        incoming.claim = claim
        return incoming
    }
}

extension Commit<CommitResult> {
    /// Adds what was committed together with it. There is one answer: `applied` when anything was applied.
    fileprivate mutating func add(_ other: Commit<CommitResult>) {
        entries += other.entries
        unclaimed += other.unclaimed
        if value.outcome != .applied, other.value.outcome == .applied { value.outcome = .applied }
        value.cursor = other.value.cursor
    }
}
