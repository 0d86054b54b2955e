public import Domain

/// Answers `GET /events/{id}`.
public struct EventAnswer: Codable, Sendable, Equatable {
    /// In the format of `/feed`, with the store's dates.
    public var event: FeedItem
    /// The event of the same contract that was newer by the store's date, and was there first; null if none was.
    @Nullable public var newer: FeedItem?
    /// What the store said of the contract; null for what says nothing of one, and once the body is no longer kept.
    @Nullable public var statement: StatementItem?
    /// Null unless it is one of the newest 1,000 events that this node has received since its start.
    @Nullable public var way: EventWay?

    public init(event: FeedItem, newer: FeedItem?, statement: StatementItem?, way: EventWay?) {
        self.event = event
        self.newer = newer
        self.statement = statement
        self.way = way
    }
}

/// What one event of a store says, in the same words for every store. It has no other member of the store's message, so
/// nothing that names the buyer shows by accident.
public struct StatementItem: Codable, Sendable, Equatable {
    /// The store's name for the app.
    public var app: String
    /// A `ProductKind`.
    public var kind: String
    /// The product's group; null if it has none.
    @Nullable public var group: String?
    /// The order's token, if the store echoed it: a UUID.
    @Nullable public var order: String?
    /// The app's user, if the store names one; most only echo the order's token.
    @Nullable public var user: UserID?
    /// The lineage id of the contract that this one replaces.
    @Nullable public var replaces: String?
    /// Whether it is shared through the store's family.
    public var family: Bool
    /// A `ContractState`; null if the store only tells of a charge.
    @Nullable public var state: String?
    @Nullable public var product: String?
    /// The product of the next period, if it changes.
    @Nullable public var pendingProduct: String?
    @Nullable public var autoRenew: Bool?
    /// The end of the paid period or of the grace period: ISO 8601, UTC.
    @Nullable public var accessUntil: String?
    /// The charge by the store's id; null if the event tells of none.
    @Nullable public var transaction: String?
    @Nullable public var purchasedAt: String?
    @Nullable public var expiresAt: String?
    @Nullable public var revokedAt: String?
    /// The amount, in thousandths of the currency's unit: 9990 is 9.99.
    @Nullable public var price: Int64?
    /// ISO 4217.
    @Nullable public var currency: String?

    public init(_ observation: Observation) {
        let (snapshot, charge) = (observation.snapshot, observation.transaction)
        app = observation.contract.app
        kind = observation.kind.rawValue
        family = observation.isFamilyShared
        group = observation.group
        order = observation.token?.description
        user = observation.user
        replaces = observation.previousLineage
        state = snapshot?.state.rawValue
        product = snapshot?.product ?? charge?.product
        pendingProduct = snapshot?.pendingProduct
        autoRenew = snapshot?.autoRenew
        accessUntil = snapshot?.accessUntil?.iso8601
        transaction = charge?.id
        purchasedAt = charge?.purchasedAt.iso8601
        expiresAt = charge?.expiresAt?.iso8601
        revokedAt = charge?.revokedAt?.iso8601
        price = charge?.price
        currency = charge?.currency
    }
}

/// An event's way through the node that received it: microseconds after its first byte; null for a stage that did not
/// take place.
public struct EventWay: Codable, Sendable, Equatable {
    @Nullable public var verified: Int64?
    @Nullable public var committed: Int64?
    @Nullable public var rendered: Int64?
    /// When the first and the last loop of this node had written it to their pages' sockets.
    @Nullable public var firstPage: Int64?
    @Nullable public var lastPage: Int64?
    /// The open pages that got it at once.
    public var pages: Int
    /// How often the store has sent it again.
    public var duplicates: Int

    public init(
        verified: Int64?,
        committed: Int64?,
        rendered: Int64?,
        firstPage: Int64?,
        lastPage: Int64?,
        pages: Int,
        duplicates: Int
    ) {
        self.pages = pages
        self.duplicates = duplicates
        self.verified = verified
        self.committed = committed
        self.rendered = rendered
        self.firstPage = firstPage
        self.lastPage = lastPage
    }
}

/// Answers `GET /events`: one page, newest first.
public struct EventsAnswer: Codable, Sendable, Equatable {
    /// In the format of `/feed`.
    public var events: [FeedItem]
    /// The `before` parameter of the next page: a cursor, or null once `since` or the ledger's beginning is reached.
    @Nullable public var next: String?
    /// The ledger's newest cursor when the page was read.
    public var since: String

    public init(events: [FeedItem], next: Cursor?, since: Cursor) {
        self.events = events
        self.since = since.description
        self.next = next?.description
    }
}
