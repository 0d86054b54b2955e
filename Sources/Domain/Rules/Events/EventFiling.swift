extension UnitOfWork {
    /// Files the event with its entry, and queues the jobs that follow from it. An event that is applied again is
    /// already stored: it only moves to its contract, and makes an entry if it was applied.
    mutating func file(
        _ incoming: IncomingEvent,
        outcome: Outcome,
        notice: Notice,
        fragments: [Fragment] = [],
        contract: ContractKey? = nil,
        change: ContractChange? = nil
    ) throws -> CommitResult {
        let event = incoming.event
        let isStored = incoming.isReplay ? try position(of: event) != nil : false
        if isStored, let contract {
            changes.refiledEvents.append(RefiledEvent(event: EventKey(event), contract: contract))
        }
        if isStored, outcome != .applied {
            return CommitResult(outcome: outcome, event: event.id, cursor: cursor(head))
        }
        let entry = try append(notice.naming(event, outcome: outcome), fragments: fragments)
        if let change { announceLater(change) }
        let result = CommitResult(outcome: outcome, event: event.id, cursor: cursor(entry.position))
        guard !isStored else { return result }
        ledger.changed(EventKey(event), at: entry.position)
        let filed = FiledEvent(
            event: event,
            position: entry.position,
            receivedAt: incoming.receivedAt,
            contract: contract
        )
        changes.events.append(filed)
        // Acknowledging a purchase that nobody gets would keep the buyer's money.
        queue(event.jobs.filter { outcome != .quarantined || $0.kind == .forward }, position: entry.position)
        return result
    }
}

extension Notice {
    fileprivate func naming(_ event: Event, outcome: Outcome) -> Notice {
        var notice = self
        notice.provider = event.provider
        notice.environment = event.environment
        notice.type = event.type
        notice.subtype = event.subtype
        notice.event = event.id
        notice.outcome = outcome
        return notice
    }
}
