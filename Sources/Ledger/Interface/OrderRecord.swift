public import Domain

/// An order and its outcome.
public struct OrderRecord: Sendable, Equatable {
    public enum State: String, Sendable {
        /// No purchase has carried its token yet.
        case open
        /// A purchase has carried it, and is not paid yet.
        case pending
        /// A purchase that matches the order has carried it.
        case fulfilled
        /// Only purchases that contradict the order have carried it.
        case quarantined
    }

    public var order: Order
    public var createdAt: Instant
    public var state: State
    /// Purchases that carried its token and match the order.
    public var purchases: [OrderPurchase]
    /// Events that carried its token and contradict the order: the newest ten, newest first.
    public var contradictions: [OrderEvent]
}

/// A purchase that carried an order's token.
public struct OrderPurchase: Sendable, Equatable {
    public var contract: ContractKey
    /// The current owner: the purchase may have gone to somebody else since.
    public var user: UserID?
    public var product: String
    public var state: ContractState
    /// The date of the first charge that carried the token.
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
