public import Domain

/// One thing to commit. Completions run on the writer's thread, after the commit, once; they must not block.
public enum LedgerCommand: Sendable {
    case event(Event, receivedAt: Instant, completion: @Sendable (Result<Receipt, LedgerError>) -> Void)
    case order(OrderRequest, completion: @Sendable (Result<OrderReceipt, OrderError>) -> Void)
    /// One entry for each fragment, in their order.
    case broadcast([Fragment], completion: @Sendable (Result<[Cursor], LedgerError>) -> Void)
}

/// What is answered to the store.
public struct Receipt: Sendable, Equatable {
    public var outcome: Outcome
    /// The store's event id.
    public var event: String
    /// Where it was committed; for a duplicate, where the first one was.
    public var cursor: Cursor

    public init(outcome: Outcome, event: String, cursor: Cursor) {
        self.outcome = outcome
        self.event = event
        self.cursor = cursor
    }
}

/// Who is about to buy what. `token` binds a UUID that the app minted itself.
public struct OrderRequest: Sendable, Equatable {
    public var user: String
    public var product: String
    public var provider: Provider?
    public var group: String?
    public var kind: ProductKind?
    public var token: OrderToken?

    public init(
        user: String,
        product: String,
        provider: Provider? = nil,
        group: String? = nil,
        kind: ProductKind? = nil,
        token: OrderToken? = nil
    ) {
        self.user = user
        self.product = product
        self.provider = provider
        self.group = group
        self.kind = kind
        self.token = token
    }
}

public struct OrderReceipt: Sendable, Equatable {
    public var order: Order
    /// A page that resumes from here misses nothing of this purchase.
    public var since: Cursor
    /// False when the same request had been made before.
    public var isNew: Bool

    public init(order: Order, since: Cursor, isNew: Bool) {
        self.order = order
        self.since = since
        self.isNew = isNew
    }
}

public enum OrderError: Error, Equatable, CustomStringConvertible {
    /// The token is bound to another user.
    case tokenTaken
    case ledger(LedgerError)

    public var description: String {
        switch self {
        case .tokenTaken: "the token belongs to another user's order; mint a new one"
        case .ledger(let error): error.description
        }
    }
}
