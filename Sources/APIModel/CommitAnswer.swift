public import Domain

/// Answers a webhook, or a transaction that an app posted, after the commit.
public struct CommitAnswer: Codable, Sendable, Equatable {
    /// An `Outcome`, such as `applied`.
    public var outcome: String
    /// The store's id for the event.
    public var event: String
    /// Where the event was committed; for a duplicate, where the first one was.
    public var cursor: String
    /// `granted`, `moved`, `shared`, `refused`, or `unproven` for a receipt that proves only that the purchase exists; absent if
    /// nobody claimed the purchase.
    public var claim: String?

    public init(_ result: CommitResult) {
        outcome = result.outcome.rawValue
        event = result.event
        cursor = result.cursor.description
        claim = result.claim?.rawValue
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

/// Answers `POST /receipts/apple`: the members of `CommitAnswer` for the newest purchase, as if it had been posted
/// alone, and all purchases.
public struct ReceiptAnswer: Codable, Sendable, Equatable {
    public struct Item: Codable, Sendable, Equatable {
        public var outcome: String
        public var event: String
        public var cursor: String
        public var claim: String?
        /// The store's lineage id; absent if the event belongs to no contract.
        public var contract: String?
        /// The product by the store's id.
        public var product: String?

        public init(_ commit: CommitAnswer, contract: String?, product: String?) {
            outcome = commit.outcome
            event = commit.event
            cursor = commit.cursor
            claim = commit.claim
            self.contract = contract
            self.product = product
        }
    }

    public var outcome: String
    public var event: String
    public var cursor: String
    /// That of the newest purchase.
    public var claim: String?
    /// The proof of the purchases: `store`, `receipt` or `verify_receipt`.
    public var source: String
    /// Oldest first.
    public var events: [Item]

    public init(newest: CommitAnswer, source: String, events: [Item]) {
        outcome = newest.outcome
        event = newest.event
        cursor = newest.cursor
        claim = newest.claim
        self.source = source
        self.events = events
    }
}
