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
    /// What vouches for the purchases: `store`, `receipt` or `verify_receipt`.
    public var source: String
    /// Oldest first.
    public var events: [Item]

    public init(newest: CommitAnswer, source: String, events: [Item]) {
        outcome = newest.outcome
        event = newest.event
        cursor = newest.cursor
        self.source = source
        self.events = events
    }
}
