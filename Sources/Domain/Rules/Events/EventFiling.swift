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
        let isStored = incoming.isReplay ? try ledger.position(of: EventKey(event)) != nil : false
        if isStored, let contract {
            changes.refiledEvents.append((EventKey(event), contract))
        }
        if isStored, outcome != .applied {
            return CommitResult(outcome: outcome, event: event.id, cursor: cursor(ledger.head))
        }
        let entry = try append(notice.naming(event, outcome: outcome), fragments: fragments)
        if let change { announceLater(change) }
        let result = CommitResult(outcome: outcome, event: event.id, cursor: cursor(entry.position))
        guard !isStored else { return result }
        ledger.events[EventKey(event)] = entry.position
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
    func naming(_ event: Event, outcome: Outcome) -> Notice {
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

extension UnitOfWork {
    /// Our name for the event. Stores use `renewed` and `started` for other things too: RevenueCat and PurchaseKit for
    /// a recovery or a plan change, Stripe for a customer who comes back. The contract's previous state decides.
    func name(of kind: EventKind, change: ContractChange) throws -> EventKind {
        if let owner = change.previous?.user, let user = change.current.user, owner != user {
            return .contractTransferred
        }
        guard change.current.contract.kind == .subscription, change.current.status.state == .active else {
            return kind
        }
        if let name = change.subscriptionName(of: kind) { return name }
        guard kind == .subscriptionStarted || kind == .planChanged else { return kind }
        var read: Set<ContractIndex> = []
        return change.current.name(of: kind, beside: try relatedContracts(of: change.current, read: &read))
    }
}

extension ContractChange {
    /// Nil if the contract's previous state tells nothing more.
    fileprivate func subscriptionName(of kind: EventKind) -> EventKind? {
        guard let previous, previous.contract.hasBegun else { return nil }
        if isConversion(of: kind) { return .subscriptionConverted }
        switch (kind, previous.status.state) {
        case (.subscriptionRenewed, .paused), (.subscriptionRecovered, .paused): return .resumed
        case (.subscriptionRenewed, .inGracePeriod), (.subscriptionRenewed, .inBillingRetry):
            return .subscriptionRecovered
        case (.subscriptionRenewed, .expired), (.subscriptionRenewed, .revoked), (.subscriptionStarted, .expired),
            (.subscriptionStarted, .revoked):
            // A late renewal is not a return: a return requires that the store itself said that access was over.
            return previous.contract.snapshot?.snapshot.state.givesAccess == false ? .subscriptionResubscribed : nil
        case (.subscriptionRenewed, _), (.subscriptionResubscribed, _):
            let isAnother = previous.status.product != current.status.product
            return previous.status.isActive && isAnother ? .planChanged : nil
        default: return nil
        }
    }
}

extension ContractChange {
    /// The first paid period after a free trial, also one that needed a second attempt. Whoever was told by the store that
    /// access was over comes back instead. What an app posts does not always say that it is a renewal (Apple's
    /// `transactionReason`).
    fileprivate func isConversion(of kind: EventKind) -> Bool {
        guard let previous, previous.contract.isOfTrial, !current.contract.isOfTrial else { return false }
        let isRenewal =
            kind == .subscriptionRenewed || kind == .subscriptionRecovered
            || kind == .subscriptionStarted && previous.status.product == current.status.product
        guard isRenewal else { return false }
        return ![.expired, .revoked, .paused].contains(previous.contract.snapshot?.snapshot.state)
    }
}

extension TrackedContract {
    /// Names a new contract beside the buyer's others. Apple, which states the group, distinguishes these cases itself.
    fileprivate func name(of kind: EventKind, beside related: [TrackedContract]) -> EventKind {
        let replaced = contract.previousLineage?.value
        if kind == .planChanged {
            let old = related.first { $0.contract.key.lineage == replaced }
            let isSame = old?.status.product == status.product && status.pendingProduct == nil
            return isSame ? .subscriptionResubscribed : kind
        }
        let others = related.filter {
            $0.contract.kind == .subscription && $0.contract.hasBegun && $0.contract.key != contract.key
                && $0.contract.key.lineage != replaced
        }
        guard contract.group == nil, !others.isEmpty else { return kind }
        if others.contains(where: { $0.status.pendingProduct == status.product }) { return .planChanged }
        return others.contains { $0.status.isActive } ? kind : .subscriptionResubscribed
    }
}
