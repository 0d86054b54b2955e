public import APIModel
public import Domain
import Ledger
import Pages

extension Services {
    /// `GET /orders/{token}`: the answer of `POST /orders`, and the outcome of the order.
    func order(_ token: String, _ request: Request) -> Answer {
        guard let addresses = PageAddresses(self, request: request) else { return .respond(Authorization.noSigner) }
        guard let token = OrderToken(token) else { return .respond(Services.unknownOrder) }
        return answer(asking: { queries in
            let found = try queries.order(token)
            return (found.order, found.head, ending: try found.order.map { try queries.ending(of: $0.order.user) } ?? 0)
        }) { order, head, ending in
            guard let record = order else { return Services.unknownOrder }
            // The user id matched the pattern that the server used when the order was created.
            guard let page = addresses.page(of: record.order.user, since: head, ending: ending) else {
                return RefusedBody.invalidUserID.response
            }
            return JSON.response(200, body: Joined(OrderItem(record), page))
        }
    }

    private static let unknownOrder = Response.error(
        404,
        code: "unknown_order",
        message: "There is no order with this token."
    )
}

extension OrderItem {
    init(_ record: OrderRecord) {
        let order = record.order
        self.init(
            order: order.token.description,
            user: order.user,
            product: order.product,
            provider: order.provider?.rawValue,
            group: order.group,
            kind: order.kind?.rawValue,
            createdAt: record.createdAt.iso8601,
            state: record.state.rawValue,
            bought: record.bought,
            purchases: record.purchases.map(OrderPurchaseItem.init),
            quarantined: record.contradictions.map(OrderEventItem.init),
            successUrl: order.context.successURL,
            metadata: order.context.metadata.isEmpty ? nil : order.context.metadata,
            traceId: order.trace?.description
        )
    }
}

extension OrderPurchaseItem {
    fileprivate init(_ purchase: OrderPurchase) {
        self.init(
            provider: purchase.contract.provider.rawValue,
            environment: purchase.contract.environment.rawValue,
            app: purchase.contract.app,
            contract: purchase.contract.lineage,
            user: purchase.user,
            product: purchase.product,
            state: purchase.state.rawValue,
            purchasedAt: purchase.boughtAt.iso8601,
            event: purchase.event?.id,
            cursor: purchase.event?.cursor.description,
            at: purchase.event?.committedAt.iso8601
        )
    }
}

/// An order and what became of it. `GET /orders/{token}` answers it with the members of `StreamAnswer`.
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
    /// `open`, `pending`, `fulfilled`, `refunded` or `quarantined`.
    public var state: String
    /// The product that was bought with it last, by the store's id: decide by it, not by `product`. Left out if nothing was yet.
    public var bought: String?
    /// Purchases that carried the token and fit the order.
    public var purchases: [OrderPurchaseItem]
    /// Events that carried the token and contradict the order: the newest ten, newest first.
    public var quarantined: [OrderEventItem]
    /// What the app gave the order: where its page goes after the purchase, and the app's own words. Left out without them.
    public var successUrl: String?
    public var metadata: [String: String]?
    /// The newest trace of the app's backend that led to it; left out without one.
    public var traceId: String?
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
}

/// A committed event that carried an order's token.
public struct OrderEventItem: Codable, Sendable, Equatable {
    /// The store's id for the event.
    public var event: String
    /// Where the event was committed.
    public var cursor: String
    /// When it was committed: ISO 8601, UTC.
    public var at: String

    init(_ event: OrderEvent) {
        (self.event, cursor, at) = (event.id, event.cursor.description, event.committedAt.iso8601)
    }
}
