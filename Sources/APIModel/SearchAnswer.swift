public import Domain

/// Answers `GET /search`: what has the name that was looked for.
public struct SearchAnswer: Codable, Sendable, Equatable {
    public struct Hit: Codable, Sendable, Equatable {
        /// `user`, `order`, `contract` or `event`.
        public var kind: String
        /// Its name: a user's id, an order's token, a contract's lineage id, an event's id.
        public var id: String
        /// Whose it is; null if nobody is known.
        @Nullable public var user: UserID?
        @Nullable public var provider: String?
        @Nullable public var product: String?
        /// Of an event, its own; of a contract, its newest event's.
        @Nullable public var cursor: String?

        public init(
            kind: String,
            id: String,
            user: UserID?,
            provider: String? = nil,
            product: String? = nil,
            cursor: Cursor? = nil
        ) {
            self.kind = kind
            self.id = id
            self.user = user
            self.provider = provider
            self.product = product
            self.cursor = cursor?.description
        }
    }

    public var query: String
    /// At most 23.
    public var found: [Hit]

    public init(query: String, found: [Hit]) {
        self.query = query
        self.found = found
    }
}
