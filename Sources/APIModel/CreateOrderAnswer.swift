public import Domain

/// Answers `POST /orders`: one object with the order's members and those of `stream`.
public struct CreateOrderAnswer: Codable, Sendable, Equatable {
    public struct Order: Codable, Sendable, Equatable {
        /// The token that the purchase carries: a UUID.
        public var order: String
        /// The user as in the request.
        public var user: UserID
        /// The product as in the request.
        public var product: String
    }

    public var order: Order
    /// Where the user's page waits for the purchase.
    public var stream: StreamAnswer

    public init(_ order: Domain.Order, stream: StreamAnswer) {
        self.order = Order(order: order.token.description, user: order.user, product: order.product)
        self.stream = stream
    }

    public init(from decoder: any Decoder) throws {
        order = try Order(from: decoder)
        stream = try StreamAnswer(from: decoder)
    }

    public func encode(to encoder: any Encoder) throws {
        try order.encode(to: encoder)
        try stream.encode(to: encoder)
    }
}
