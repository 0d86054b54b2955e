public import Domain

/// Answers `GET /orders/{token}`: one object with the members of both.
public struct OrderAnswer: Codable, Sendable, Equatable {
    public var order: OrderItem
    /// Where the user's page waits for the purchase.
    public var stream: StreamAnswer

    public init(order: OrderItem, stream: StreamAnswer) {
        self.order = order
        self.stream = stream
    }

    public init(from decoder: any Decoder) throws {
        order = try OrderItem(from: decoder)
        stream = try StreamAnswer(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try order.encode(to: encoder)
        try stream.encode(to: encoder)
    }
}

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
    /// The newest trace of the app's backend that led to it; left out without one.
    public var traceId: String?

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
        traceId = order.trace?.description
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

/// A purchase that carried an order's token.
public struct OrderPurchaseItem: Codable, Sendable, Equatable {
    /// The store's name.
    public var provider: String
    /// `Production` or `Sandbox`; in development also `Xcode`.
    public var environment: String
    /// The store's name for the app.
    public var app: String
    /// The store's lineage id.
    public var contract: String
    /// The current owner; null if nobody owns it.
    @Nullable public var user: UserID?
    /// The product by the store's id.
    public var product: String
    /// A `ContractState`.
    public var state: String
    /// The date of the first charge that carried the token: ISO 8601, UTC.
    public var purchasedAt: String
    /// The store's id for the first event that carried the token; null if it is not among the contract's first hundred.
    @Nullable public var event: String?
    /// Where that event was committed.
    @Nullable public var cursor: String?
    /// When it was committed: ISO 8601, UTC.
    @Nullable public var at: String?

    public init(
        _ contract: ContractKey,
        user: UserID?,
        product: String,
        state: ContractState,
        purchasedAt: Instant,
        event: OrderEventItem?
    ) {
        provider = contract.provider.rawValue
        environment = contract.environment.rawValue
        app = contract.app
        self.contract = contract.lineage
        self.product = product
        self.state = state.rawValue
        self.purchasedAt = purchasedAt.iso8601
        self.user = user
        self.event = event?.event
        cursor = event?.cursor
        at = event?.at
    }
}

/// Answers `POST /offers/{store}`.
public struct OfferAnswer: Codable, Sendable, Equatable {
    /// What the app hands to the store: a JWS in its compact form.
    public var jws: String

    public init(jws: String) { self.jws = jws }
}
