/// The answer to the store.
public struct CommitResult: Sendable, Equatable {
    public var outcome: Outcome
    /// The store's event id.
    public var event: String
    /// Where the event was committed; for a duplicate, where the first one was.
    public var cursor: Cursor
    /// The result of the claim that came with it.
    public var claim: ClaimOutcome?

    public init(outcome: Outcome, event: String, cursor: Cursor, claim: ClaimOutcome? = nil) {
        self.outcome = outcome
        self.event = event
        self.cursor = cursor
        self.claim = claim
    }
}
