public import Domain

/// An order and what became of it.
public struct OrderRecord: Sendable, Equatable {
    public enum State: String, Sendable {
        /// No purchase has carried its token yet.
        case open
        /// One has, and is not paid yet.
        case pending
        /// One has that fits.
        case fulfilled
        /// Purchases have that contradict it, and no other.
        case quarantined
    }

    public var order: Order
    public var createdAt: Instant
    public var state: State
    /// Purchases that carried its token and fit.
    public var purchases: [OrderPurchase]
    /// Events that carried it and contradict it: the newest ten, the newest first.
    public var contradictions: [OrderEvent]
}

/// A purchase that carried an order's token.
public struct OrderPurchase: Sendable, Equatable {
    public var contract: ContractKey
    /// Whose it is now: a purchase may have gone to somebody else since.
    public var user: UserID?
    public var product: String
    public var state: ContractState
    /// Of the first charge that carried the token.
    public var boughtAt: Instant
    /// The first event that carried it, among the contract's first hundred.
    public var event: OrderEvent?
}

public struct OrderEvent: Sendable, Equatable {
    /// The store's id.
    public var id: String
    public var cursor: Cursor
    public var committedAt: Instant
}
