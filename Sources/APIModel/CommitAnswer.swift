public import Domain

/// Answers a webhook, or a transaction that an app posted, after the commit.
public struct CommitAnswer: Codable, Sendable, Equatable {
    /// An `Outcome`, such as `applied`.
    public var outcome: String
    /// The store's id for the event.
    public var event: String
    /// Where the event was committed; for a duplicate, where the first one was.
    public var cursor: String
    /// Who has the purchase now: `yours`, `others` or `nobody`; or `unproven` for a receipt that proves only that the purchase
    /// exists. Absent if the post named no user.
    public var claim: String?

    public init(_ result: CommitResult) {
        outcome = result.outcome.rawValue
        event = result.event
        cursor = result.cursor.description
        claim = result.claim?.holder.rawValue
    }

    /// The bytes of `JSON.encode`, by hand: the writer's thread makes one for each event, and `JSONEncoder` takes as long as
    /// rendering the event's fragments.
    public var json: [UInt8] {
        var writer = ObjectWriter(capacity: 160)
        writer.object { writer in
            writer.text("claim", ifAny: claim)
            writer.text("cursor", cursor)
            writer.text("event", event)
            writer.text("outcome", outcome)
        }
        return writer.bytes
    }
}
