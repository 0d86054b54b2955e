/// A contract rebuilt from all of its events. Its registers only rise, so a wrong value that was once the greatest can
/// be removed in no other way.
///
/// Users and claims are separate facts and stay; tokens are only added.
public struct ContractRebuild: Sendable, Equatable {
    /// The contract before its events were read. The rebuild is void if the contract or its events have changed since.
    public let known: Contract
    /// The position of its newest event at that time.
    public let newest: Int64
    /// The id of the last event that was applied.
    public private(set) var event = ""
    private var fresh: Contract?
    private var raised: Contract
    private var isComplete = true
    /// The dates of each token, which older versions did not remember completely.
    private(set) var tokens: [OrderToken: TokenDates] = [:]

    public init(_ stored: StoredContract) {
        known = stored.contract
        newest = stored.newest
        raised = known
    }

    /// Adds an event; the order does not matter. Events of other contracts are ignored.
    public mutating func fold(_ event: Event) {
        guard let observation = event.statement, observation.contract == known.key else { return }
        var contract = fresh ?? Contract(key: known.key, kind: observation.kind)
        _ = contract.apply(observation, event: event.id, signedAt: event.signedAt)
        _ = raised.apply(observation, event: event.id, signedAt: event.signedAt)
        fresh = contract
        self.event = event.id
        guard let said = StatedToken(observation, of: event) else { return }
        tokens[said.token, default: TokenDates(said)].add(TokenDates(said))
    }

    /// Call it if one of the contract's events can no longer be read. Only the registers hold that event's content, so
    /// they may still rise, but not fall.
    public mutating func miss() {
        isComplete = false
    }

    public var contract: Contract {
        guard isComplete, let fresh, fresh.snapshot != nil || fresh.transaction != nil else { return raised }
        return fresh
    }
}

/// A contract as the ledger holds it.
public struct StoredContract: Sendable, Equatable {
    public var contract: Contract
    /// The position of its newest event within the requested range.
    public var newest: Int64

    public init(contract: Contract, newest: Int64) {
        self.contract = contract
        self.newest = newest
    }
}
