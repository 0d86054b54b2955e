extension UnitOfWork {
    /// Decides what a store's statement about every product of the purchase changes.
    public mutating func record(_ incoming: IncomingEvent) throws -> CommitResult {
        let incoming = incoming.saying(try keepingFirst(in: incoming.event), claim: incoming.claim)
        if let claim = incoming.claim, claim.isImported { importer = claim.user }
        let lines = incoming.event.lines
        let isNew = lines.isEmpty ? false : try isNew(incoming.event)
        var result = try recordOne(incoming)
        for line in lines {
            var further = incoming.saying(line, claim: incoming.claim)
            further.isBeside = isNew
            result.add(try recordOne(further))
        }
        if incoming.event.isWhole, let key = incoming.event.observation?.contract {
            for event in try missingLines(of: key, event: incoming.event) {
                result.add(try recordOne(incoming.saying(event, claim: nil)))
            }
        }
        result.trace = try trace(of: incoming)
        return result
    }

    /// Decides about one contract, or about none: the event, the change, and the message to pages.
    private mutating func recordOne(_ incoming: IncomingEvent) throws -> CommitResult {
        let event = incoming.event
        if let first = try firstDelivery(of: incoming) { return try answerAgain(incoming, first: first) }
        if try isOfErasedUser(incoming) { return try fileErased(incoming) }
        if let transfer = event.transfer, event.observation == nil { return try record(transfer, incoming: incoming) }
        guard let statement = event.statement else { return try recordAccount(incoming) }
        let observation = try endingWhatIsContinued(statement)
        let known = try ledger.contract(observation.contract)
        if let order = try contradictedOrder(by: observation, about: known) {
            return try quarantine(observation, order: order, incoming: incoming)
        }
        let result = try apply(observation, incoming: incoming, to: known)
        if let alias = event.transfer { try follow(alias, of: event) }
        return result
    }

    private mutating func apply(
        _ observation: Observation,
        incoming: IncomingEvent,
        to known: TrackedContract?
    ) throws -> CommitResult {
        let event = incoming.event
        var contract = known?.contract ?? Contract(key: observation.contract, kind: observation.kind)
        var isNews = contract.apply(observation, event: event.id, signedAt: event.signedAt)
        guard let status = contract.status(at: now, policy: policy) else {
            return try file(incoming, outcome: .ignored, notice: Notice(kind: event.kind))
        }
        let said = StatedToken(observation, of: event)
        var isOwnerNews = known.map { $0.contract.mayHaveOtherOwner(than: contract) } ?? true
        if let known, let said, !known.repeats(said), try add(said.token, dates: said.dates, to: known.key) {
            isNews = true
            isOwnerNews = true
        }
        let end = contract.end(of: status, policy: policy)
        var current = known ?? TrackedContract(contract: contract, status: status, endsAt: end)
        current.contract = contract
        current.status = status
        current.endsAt = end
        // What came before it in the command may decide about its owner.
        if isOwnerNews || !related.isEmpty { try resolveOwner(of: &current, said: said) }
        if isNews || known.map({ current.hasDifferentHolders(than: $0) }) == true { try save(current) }
        if known == nil, let said { _ = try add(said.token, dates: said.dates, to: current.key) }
        var claimed: ClaimOutcome?
        if let claim = incoming.claim {
            let unclaimed = current
            claimed = try apply(claim, of: observation, on: &current, incoming: incoming)
            let isNoted = current.unasked != unclaimed.unasked
            if isNoted || current.hasDifferentHolders(than: unclaimed) { try save(current) }
        }
        if known == nil, current.user != nil { try liftTombstones(of: current.contract) }
        var change = ContractChange(previous: known, current: current, isBeside: incoming.isBeside)
        change.charge = try record(observation.charges, of: current.key, news: !incoming.isReplay)
        return try file(change, isNews: isNews, claimed: claimed, incoming: incoming)
    }

    /// Files an event that belongs to no contract. If it concerns a buyer (consent rescinded), the pages of that
    /// buyer's users reload, and the app's own server decides what they show.
    private mutating func recordAccount(_ incoming: IncomingEvent) throws -> CommitResult {
        let event = incoming.event
        var notice = Notice(kind: event.kind)
        guard let account = event.account else { return try file(incoming, outcome: .ignored, notice: notice) }
        let users = Set(try ledger.contracts(.ofAccount(event.key(lineage: account))).flatMap(\.holders))
        notice.user = users.min()
        // Pages are not told about a mere question of the store (a chargeback under review).
        let told = event.kind == .consentRescinded ? users.sorted() : []
        let fragments = told.compactMap { streams.stream(for: $0) }.map {
            Fragment(stream: $0, action: "refresh", content: .none)
        }
        return try file(incoming, outcome: .ignored, notice: notice, fragments: fragments)
    }
}

extension CommitResult {
    /// Adds what was committed together with it. There is one answer: `applied` if anything was applied.
    fileprivate mutating func add(_ other: CommitResult) {
        if outcome != .applied, other.outcome == .applied { outcome = .applied }
        cursor = other.cursor
    }
}

/// The ordinary outcome of an event about a contract: it is stale, unclaimed, applied or ignored.
extension UnitOfWork {
    /// Files a contract's event, its change, and the consequences for related contracts. The event is stale if it says
    /// nothing new and changes no holder, unclaimed if the purchase has no user, applied if the status or the holders
    /// have changed, and otherwise ignored.
    mutating func file(
        _ change: ContractChange,
        isNews: Bool,
        claimed: ClaimOutcome?,
        incoming: IncomingEvent
    ) throws -> CommitResult {
        var incoming = incoming
        // A buyer who is refused buys again or asks for a refund, so the store must not think that the purchase was
        // delivered. What is another's anyway was.
        if claimed == .refused || claimed == .nobody { incoming.event.jobs.removeAll { $0.kind == .finish } }
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
        let isApplied = current.user != nil && (known?.status != current.status || hasMoved)
        let outcome: Outcome = current.isUnclaimed ? .unclaimed : isApplied ? .applied : .ignored
        let notice = Notice(kind: kind, change: change)
        var result = try file(incoming, outcome: outcome, notice: notice, contract: change.key, change: change)
        result.claim = claimed
        changes.unclaimed += change.unclaimed
        if known?.isRelatedOtherwise(than: current) ?? true { related.append(current) }
        return result
    }
}

/// A genuine event that contradicts its order is quarantined: it gives no access until somebody has looked at it.
extension UnitOfWork {
    /// The order that the statement names, if the purchase cannot be the one that the order was made for.
    func contradictedOrder(by observation: Observation, about known: TrackedContract?) throws -> Order? {
        guard let token = observation.token, let order = try ledger.order(token) else { return nil }
        let group = observation.group ?? known?.contract.group?.value
        let provider = observation.contract.provider
        return order.contradicts(provider: provider, group: group, kind: observation.kind) ? order : nil
    }

    /// Files the event without its contract, so that it changes nothing. A claim that came with it is not heard.
    mutating func quarantine(
        _ observation: Observation,
        order: Order,
        incoming: IncomingEvent
    ) throws -> CommitResult {
        var notice = Notice(kind: incoming.event.kind)
        notice.contract = observation.contract.lineage
        notice.order = order.token
        notice.product = observation.snapshot?.product ?? observation.transaction?.product
        ledger.used[order.token] = true
        var result = try file(incoming, outcome: .quarantined, notice: notice)
        if let claim = incoming.claim {
            result.claim = try ledger.contract(observation.contract)?.outcome(for: claim.user) ?? .nobody
        }
        return result
    }
}

/// One event on its way into the ledger.
public struct IncomingEvent: Sendable {
    public var event: Event
    /// The user who posted the event, if the store did not.
    public var claim: Claim?
    public var receivedAt: Instant
    /// True if the event is applied again: it is already stored, and matters only if it changes something.
    var isReplay: Bool
    /// True for a further product of a purchase that has just been made.
    var isBeside = false

    public init(_ event: Event, claim: Claim? = nil, receivedAt: Instant, isReplay: Bool = false) {
        self.event = event
        self.claim = claim
        self.receivedAt = receivedAt
        self.isReplay = isReplay
    }

    /// This delivery, with another event and claim.
    func saying(_ event: Event, claim: Claim?) -> IncomingEvent {
        var incoming = self
        incoming.event = event
        incoming.claim = claim
        return incoming
    }
}

/// Purchases of several products: each is a contract of its own.
extension UnitOfWork {
    /// A purchase that another one continues (Google's) waits for that one, so that no page shows the paywall in between. It
    /// has ended at once if the other one is known, whoever owns that.
    func endingWhatIsContinued(_ observation: Observation) throws -> Observation {
        guard observation.contract.provider == .google, let snapshot = observation.snapshot, snapshot.state == .active,
            snapshot.autoRenew == nil,
            try ledger.contracts(.replacing(observation.contract)).contains(where: \.continuesAnother)
        else { return observation }
        var ended = observation
        ended.snapshot?.state = .expired
        return ended
    }

    /// The product that the purchase already has, or that the purchase had which it replaces, stays the first one.
    func keepingFirst(in event: Event) throws -> Event {
        guard !event.further.isEmpty, let key = event.observation?.contract else { return event }
        let previous = event.observation?.previousLineage.map { key.with(lineage: $0) }
        let known = try ledger.contract(key) ?? previous.flatMap { try ledger.contract($0) }
        return known.map { event.led(by: $0.status.product) } ?? event
    }

    /// True when the purchase gives no access yet.
    func isNew(_ event: Event) throws -> Bool {
        guard let key = event.observation?.contract else { return false }
        return try ledger.contract(key)?.status.isActive != true
    }

    /// A store does not report that a product was taken out of a purchase; it just no longer lists it. So a further
    /// product has ended if the purchase's newest statement is newer than the product's own, in whatever order the two
    /// arrived.
    func missingLines(of key: ContractKey, event: Event) throws -> [Event] {
        guard let stated = try ledger.contract(key)?.contract.snapshot?.snapshot.signedAt, key.lineBounds != nil else {
            return []
        }
        // By lineage, so that the order does not depend on what the transaction had loaded before.
        let lines = try ledger.contracts(.lines(of: key)).sorted { $0.key.lineage < $1.key.lineage }
        return lines.compactMap { line in
            guard line.contract.kind == .subscription, let last = line.contract.snapshot?.snapshot,
                last.signedAt < stated, last.state != .expired, last.state != .revoked
            else { return nil }
            var end = event.ending(line.key, product: last.product, at: stated)
            // A product whose paid period ended before that has ended with its period.
            end.observation?.snapshot?.accessUntil = min(last.accessUntil ?? stated, stated)
            return end
        }
    }
}
