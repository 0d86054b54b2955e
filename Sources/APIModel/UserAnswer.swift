public import Domain

/// Answers `GET /users/{user}`.
public struct UserAnswer: Codable, Sendable, Equatable {
    public var user: UserID
    /// The name of the stream that the user's pages follow.
    public var stream: String
    /// The language tag that the app reported last; left out if it never reported one.
    public var locale: String?
    /// Whether one of the contracts gives access now.
    public var active: Bool
    /// The contracts that speak for the user come first.
    public var contracts: [ContractItem]
    /// The newest 100, newest first.
    public var orders: [OrderItem]
    /// The ledger's newest cursor when it was read.
    public var since: String

    public init(
        user: UserID,
        stream: String,
        locale: String?,
        active: Bool,
        contracts: [ContractItem],
        orders: [OrderItem],
        since: Cursor
    ) {
        self.user = user
        self.stream = stream
        self.locale = locale
        self.active = active
        self.contracts = contracts
        self.orders = orders
        self.since = since.description
    }
}

/// A contract as support sees it: one object with the members of both.
public struct ContractItem: Codable, Sendable, Equatable {
    public struct Details: Codable, Sendable, Equatable {
        /// The store's name for the app.
        public var app: String
        /// A `ProductKind`.
        public var kind: String
        /// Null if nobody owns it yet.
        @Nullable public var owner: UserID?
        /// The others who hold it.
        public var sharedWith: [UserID]
        /// The newest order token that the store echoed: a UUID.
        @Nullable public var order: String?
        /// The store's own name for the buyer.
        @Nullable public var account: String?
        /// The lineage id of the contract that it replaced.
        @Nullable public var replaces: String?
        /// The date of the newest charge: ISO 8601, UTC.
        @Nullable public var purchasedAt: String?
        /// When that charge was revoked: ISO 8601, UTC.
        @Nullable public var revokedAt: String?
        /// The amount charged, in thousandths of the currency's unit: 9990 is 9.99.
        @Nullable public var price: Int64?
        /// ISO 4217.
        @Nullable public var currency: String?
        /// When the store last said something about it, by the store's own date: ISO 8601, UTC.
        @Nullable public var statedAt: String?

        public init(
            app: String,
            kind: ProductKind,
            owner: UserID?,
            sharedWith: [UserID],
            order: OrderToken?,
            account: String?,
            replaces: String?,
            charge: Transaction?,
            statedAt: Instant?
        ) {
            self.app = app
            self.kind = kind.rawValue
            self.sharedWith = sharedWith
            self.owner = owner
            self.order = order?.description
            self.account = account
            self.replaces = replaces
            purchasedAt = charge?.purchasedAt.iso8601
            revokedAt = charge?.revokedAt?.iso8601
            price = charge?.price
            currency = charge?.currency
            self.statedAt = statedAt?.iso8601
        }
    }

    public var entitlement: EntitlementItem
    public var details: Details

    public init(entitlement: EntitlementItem, details: Details) {
        self.entitlement = entitlement
        self.details = details
    }

    public init(from decoder: any Decoder) throws {
        entitlement = try EntitlementItem(from: decoder)
        details = try Details(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try entitlement.encode(to: encoder)
        try details.encode(to: encoder)
    }
}

/// Answers `GET /users/{user}/events`: one page, newest first.
public struct UserEventsAnswer: Codable, Sendable, Equatable {
    public var user: UserID
    /// Each entry in the format of `/feed`, with the store's dates.
    public var events: [FeedItem]
    /// The `before` parameter of the next page: a cursor, or null on the last page.
    @Nullable public var next: String?
    /// The ledger's newest cursor when the page was read.
    public var since: String

    public init(user: UserID, events: [FeedItem], next: Cursor?, since: Cursor) {
        self.user = user
        self.events = events
        self.since = since.description
        self.next = next?.description
    }
}

/// The output of `paycast export`: everything known about a user.
public struct UserExport: Codable, Sendable, Equatable {
    public var record: UserAnswer
    /// Newest first, with what stores sent.
    public var events: [FeedItem]
    /// Newest first: who did what to the user.
    public var audit: [AuditItem]

    public init(record: UserAnswer, events: [FeedItem], audit: [AuditItem] = []) {
        self.record = record
        self.events = events
        self.audit = audit
    }
}

/// Answers `DELETE /users/{user}`: what was erased. All numbers are 0 for a user of whom nothing is known.
public struct ErasureAnswer: Codable, Sendable, Equatable {
    public var contracts: Int
    public var orders: Int
    /// Entries and events whose content was erased; their positions stay.
    public var events: Int
    public var fragments: Int
    /// The ledger's newest cursor.
    public var since: String

    public init(contracts: Int, orders: Int, events: Int, fragments: Int, since: Cursor) {
        self.contracts = contracts
        self.orders = orders
        self.events = events
        self.fragments = fragments
        self.since = since.description
    }
}

/// Answers `GET /users/{user}/stream`: what a page needs to follow its user's stream. Answers about orders have the same
/// members, except `html`.
public struct StreamAnswer: Codable, Sendable, Equatable {
    /// The stream's name.
    public var stream: String
    /// The name, signed by this server: anyone who presents it may follow the stream.
    public var signedStream: String
    /// The cursor from which the page misses nothing.
    public var since: String
    /// The absolute `http` or `https` address of the stream as Server-Sent Events.
    public var sse: String
    /// The absolute `ws` or `wss` address of the same stream.
    public var websocket: String
    /// A `<turbo-stream-source>` element, ready to insert into a page.
    public var html: String?

    public init(stream: String, signedStream: String, since: String, sse: String, websocket: String) {
        self.stream = stream
        self.signedStream = signedStream
        self.since = since
        self.sse = sse
        self.websocket = websocket
    }
}
