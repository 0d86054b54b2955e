public import Domain

/// Answers a webhook, or a transaction that an app posted, after the commit.
public struct CommitAnswer: Codable, Sendable, Equatable {
    /// An `Outcome`, such as `applied`.
    public var outcome: String
    /// The store's id for the event.
    public var event: String
    /// Where the event was committed; for a duplicate, where the first one was.
    public var cursor: String
    /// `granted`, `moved`, `shared` or `refused`; absent if nobody claimed the purchase.
    public var claim: String?

    public init(outcome: Outcome, event: String, cursor: Cursor, claim: String?) {
        self.outcome = outcome.rawValue
        self.event = event
        self.cursor = cursor.description
        self.claim = claim
    }
}
