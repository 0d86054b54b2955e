public import Domain

/// A contract made anew from all of its events: its registers only rise, so that a wrong value which was once the
/// greatest leaves no other way out.
///
/// Users and claims are facts of their own and stay; tokens are added to.
public struct ContractRebuild: Sendable, Equatable {
    /// As it stood before its events were read; the rebuild is void when it, or its events, have changed since.
    public let known: Contract
    /// The position of its newest event then.
    public let newest: Int64
    /// The newest event.
    public private(set) var event = ""
    private var fresh: Contract?
    private var raised: Contract
    private var isComplete = true
    /// Older versions did not remember all dates of a token.
    private(set) var tokens: [OrderToken: TokenDates] = [:]

    public init(_ stored: StoredContract) {
        (known, newest) = (stored.contract, stored.newest)
        raised = known
    }

    /// In any order. What another contract's event says does not count.
    public mutating func fold(_ event: Event) {
        guard let observation = event.statement, observation.contract == known.key else { return }
        var contract = fresh ?? Contract(key: known.key, kind: observation.kind)
        _ = contract.apply(observation, event: event.id, signedAt: event.signedAt)
        _ = raised.apply(observation, event: event.id, signedAt: event.signedAt)
        fresh = contract
        self.event = event.id
        guard let said = SaidToken(observation, of: event) else { return }
        tokens[said.token, default: TokenDates(said)].add(TokenDates(said))
    }

    /// One of its events cannot be read any more. What it said is in the registers only: they may still rise, not fall.
    public mutating func miss() {
        isComplete = false
    }

    public var contract: Contract {
        guard isComplete, let fresh, fresh.snapshot != nil || fresh.transaction != nil else { return raised }
        return fresh
    }
}
