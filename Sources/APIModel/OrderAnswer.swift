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
