internal import Domain

/// The ordinary outcome of an event about a contract: it is stale, unclaimed, applied or ignored.
extension UnitOfWork {
    /// Files a contract's event, its change, and the consequences for related contracts. The event is stale if it says
    /// nothing new and changes no holder, unclaimed if the contract has no user, applied if the status or the holders
    /// have changed, and otherwise ignored.
    mutating func file(
        _ change: ContractChange,
        isNews: Bool,
        claimed: ClaimOutcome?,
        incoming: IncomingEvent
    ) throws -> CommitResult {
        var incoming = incoming
        // A buyer who is refused buys again or asks for a refund, so the store must not think that the purchase was
        // delivered.
        if claimed == .refused { incoming.event.jobs.removeAll { $0.kind == .finish } }
        let known = change.previous
        let current = change.current
        let hasMoved = known?.holders != current.holders
        guard isNews || hasMoved else {
            let notice = Notice(kind: incoming.event.kind, change: change)
            var result = try file(incoming, outcome: .stale, notice: notice, contract: change.key)
            result.claim = claimed
            return result
        }
        let isTransfer = claimed == .moved || claimed == .shared
        let kind = isTransfer ? .contractTransferred : try name(of: incoming.event.kind, change: change)
        var change = change
        change.kind = kind
        change.reason = incoming.event.subtype
        let outcome: Outcome =
            current.user == nil ? .unclaimed : known?.status != current.status || hasMoved ? .applied : .ignored
        let notice = Notice(kind: kind, change: change)
        var result = try file(incoming, outcome: outcome, notice: notice, contract: change.key, change: change)
        result.claim = claimed
        changes.unclaimed += change.unclaimed
        if known?.isRelatedOtherwise(than: current) ?? true { related.append(current) }
        return result
    }
}
