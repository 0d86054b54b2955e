/// An event that is delivered twice counts once.
extension UnitOfWork {
    /// The position at which the event was first committed. Nil if it is new, in a replay (which decides about it
    /// again), and if a user shows a purchase that was an erased user's.
    mutating func firstDelivery(of incoming: IncomingEvent) throws -> Int64? {
        guard !incoming.isReplay, let first = try ledger.position(of: EventKey(incoming.event)) else { return nil }
        return try bringsBack(incoming) ? nil : first
    }

    /// Answers an event that was committed before. The event itself changes nothing, but another user's claim that
    /// comes with it may.
    mutating func answerAgain(_ incoming: IncomingEvent, first: Int64) throws -> CommitResult {
        let event = incoming.event
        var result = CommitResult(outcome: .duplicate, event: event.id, cursor: cursor(first))
        guard let claim = incoming.claim, let observation = event.observation else { return result }
        guard let known = try ledger.contract(observation.contract) else {
            result.claim = .nobody
            return result
        }
        var current = known
        result.claim = try apply(claim, of: observation, on: &current, incoming: incoming)
        guard current.hasDifferentHolders(than: known) else {
            if current.unasked != known.unasked { try save(current) }
            return result
        }
        current.recomputeStatus(at: now, policy: policy)
        try save(current)
        let change = ContractChange(previous: known, current: current)
        try append(change, as: change.moveKind)
        result.cursor = cursor(ledger.head)
        related.append(current)
        return result
    }
}

/// A store's event id, within the scope in which it is unique.
public struct EventKey: Sendable {
    public var id: String
    public var provider: Provider
    public var environment: StoreEnvironment

    public init(id: String, provider: Provider, environment: StoreEnvironment) {
        self.id = id
        self.provider = provider
        self.environment = environment
    }

    public init(_ event: Event) {
        self.init(id: event.id, provider: event.provider, environment: event.environment)
    }
}

extension EventKey: Hashable {
    public static func == (left: EventKey, right: EventKey) -> Bool {
        left.id.hasSameBytes(as: right.id) && left.provider == right.provider && left.environment == right.environment
    }

    public func hash(into hasher: inout Hasher) {
        id.hashBytes(into: &hasher)
        hasher.combine(provider)
        hasher.combine(environment)
    }
}
