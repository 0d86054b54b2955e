/// Handles statements of stores and apps about erased users.
extension UnitOfWork {
    /// True if the event would bring an erased user back: it names the user, or it concerns the user's former contract,
    /// order or buyer, and no other user has a reason to hold it.
    func isOfErasedUser(_ incoming: IncomingEvent) throws -> Bool {
        let event = incoming.event
        if let transfer = event.transfer, event.observation == nil { return try isAnyBuried([.user(transfer.to)]) }
        guard let observation = event.observation else {
            return try isAnyBuried(event.account.map { [.account(event.key(lineage: $0))] } ?? [])
        }
        if let user = observation.user, try isAnyBuried([.user(user)]) { return true }
        guard try ledger.contract(observation.contract) == nil else { return false }
        if let claim = incoming.claim, try isVoid(claim) { return true }
        guard try isAnyBuried(observation.identities) else { return false }
        return try !bringsBack(incoming)
    }

    /// True if another user, or the same person after signing up again, has a reason to hold an erased user's purchase:
    /// a claim, the store's own statement, or an order made since. The store's webhook may come before that order: a
    /// new purchase with a token that was not the erased user's then waits for it. False unless the purchase was an
    /// erased user's.
    func bringsBack(_ incoming: IncomingEvent) throws -> Bool {
        guard let observation = incoming.event.observation, try ledger.contract(observation.contract) == nil,
            try isAnyBuried(observation.identities)
        else { return false }
        if let user = observation.user { return try !isAnyBuried([.user(user)]) }
        if let claim = incoming.claim { return try !isVoid(claim) }
        guard let token = observation.token else { return false }
        if try ledger.order(token) != nil { return true }
        guard observation.isPurchase else { return false }
        return try !isAnyBuried([.order(token)])
    }

    /// True for a claim in the name of an erased user, unless the app's backend makes it. What it imports may be a list from
    /// before the erasure.
    func isVoid(_ claim: Claim) throws -> Bool {
        guard !claim.isVouched || claim.isImported else { return false }
        return try ledger.isBuried(.user(claim.user))
    }

    /// Records that an event came, but nothing of its content: the store then gets the same answer to every retry. The
    /// contract may be one that nobody knew; later events about it may not say whose it is.
    mutating func fileErased(_ incoming: IncomingEvent) throws -> CommitResult {
        var event = incoming.event
        guard !incoming.isReplay else {
            return CommitResult(outcome: .ignored, event: event.id, cursor: cursor(ledger.head))
        }
        var notice = Notice(kind: .contractErased).naming(event, outcome: .ignored)
        notice.event = nil
        let entry = try append(notice)
        if let key = event.observation?.contract, try ledger.contract(key) == nil { bury([.contract(key)]) }
        event.body = []
        ledger.events[EventKey(event)] = entry.position
        changes.events.append(
            FiledEvent(event: event, position: entry.position, receivedAt: incoming.receivedAt, isErased: true)
        )
        var result = CommitResult(outcome: .ignored, event: event.id, cursor: cursor(entry.position))
        result.claim = incoming.claim.map { _ in .nobody }
        return result
    }

    /// A transfer from an erased user to another one is not kept, because nothing is left to follow it, and its body
    /// names the user.
    func withoutErasedUsers(
        _ transfer: Transfer,
        incoming: IncomingEvent
    ) throws -> (Transfer, IncomingEvent) {
        var kept = transfer
        var emptied = incoming
        kept.from = []
        for user in transfer.from where try !ledger.isBuried(.user(user)) { kept.from.append(user) }
        if kept.from.count != transfer.from.count { emptied.event.body = [] }
        return (kept, emptied)
    }

    private func isAnyBuried(_ identities: [ErasedIdentity]) throws -> Bool {
        for identity in identities where try ledger.isBuried(identity) { return true }
        return false
    }
}

extension Observation {
    /// The identities by which an unknown contract may turn out to be an erased user's.
    var identities: [ErasedIdentity] {
        let related = [contract.purchase, previousLineage.map { contract.with(lineage: $0) }].compactMap { $0 }
        return ([contract] + related).map { .contract($0) }
            + (account.map { [.account(contract.with(lineage: $0))] } ?? [])
            + (token.map { [.order($0)] } ?? [])
    }
}
