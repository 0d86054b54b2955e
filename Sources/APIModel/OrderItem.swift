public import Domain

/// An order and what became of it.
public struct OrderItem: Codable, Sendable, Equatable {
    /// The order's token: a UUID.
    public var order: String
    /// The user for whom the order was created.
    public var user: UserID
    /// The product by the store's id.
    public var product: String
    /// The store's name; null if the order names none.
    @Nullable public var provider: String?
    /// The product's group; null if the order names none.
    @Nullable public var group: String?
    /// A `ProductKind`; null if the order names none.
    @Nullable public var kind: String?
    /// ISO 8601, UTC.
    public var createdAt: String
    /// `open`, `pending`, `fulfilled` or `quarantined`.
    public var state: String
    /// Purchases that carried the token and fit the order.
    public var purchases: [OrderPurchaseItem]
    /// Events that carried the token and contradict the order: the newest ten, newest first.
    public var quarantined: [OrderEventItem]

    public init(
        _ order: Order,
        createdAt: Instant,
        state: String,
        purchases: [OrderPurchaseItem],
        quarantined: [OrderEventItem]
    ) {
        self.order = order.token.description
        user = order.user
        product = order.product
        self.createdAt = createdAt.iso8601
        self.state = state
        self.purchases = purchases
        self.quarantined = quarantined
        provider = order.provider?.rawValue
        group = order.group
        kind = order.kind?.rawValue
    }
}

/// A committed event that carried an order's token.
public struct OrderEventItem: Codable, Sendable, Equatable {
    /// The store's id for the event.
    public var event: String
    /// Where the event was committed.
    public var cursor: String
    /// When it was committed: ISO 8601, UTC.
    public var at: String

    public init(event: String, cursor: Cursor, at: Instant) {
        self.event = event
        self.cursor = cursor.description
        self.at = at.iso8601
    }
}
