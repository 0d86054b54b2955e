public import Domain

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
