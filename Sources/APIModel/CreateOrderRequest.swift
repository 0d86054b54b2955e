public import Domain

/// The body of `POST /orders`. Absent members and null mean the same.
public struct CreateOrderRequest: Codable, Sendable, Equatable {
    /// Who will buy: 1 to 255 bytes without control characters.
    public var user: UserID
    /// The product by the store's id: 1 to 255 bytes without control characters.
    public var product: String
    /// The store's name, such as `apple`; absent if any store may sell it.
    public var provider: String?
    /// The product's group: 1 to 255 bytes without control characters.
    public var group: String?
    /// A `ProductKind`, such as `subscription`.
    public var kind: String?
    /// A UUID that the app minted itself; absent if the server is to mint one.
    public var token: String?
    /// The language that the user reads, as a language tag such as `pt-BR`.
    public var locale: String?
    /// The time zone in which the user reads dates: a name of the tz database, such as `Europe/Berlin`.
    public var timeZone: String?
    /// Where the page that ordered goes after the purchase: a path, or an address of an allowed origin.
    public var successUrl: String?
    /// The app's own words, which come back with the purchase: 1 KB at most.
    public var metadata: [String: String]?

    public init(user: UserID, product: String) {
        self.user = user
        self.product = product
    }
}

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

/// Answers `GET /users/{user}/stream`: what a page needs to follow its user's stream. Answers about orders have the same
/// members, except `html`.
public struct StreamAnswer: Codable, Sendable, Equatable {
    /// The stream's name.
    public var stream: String
    /// The name, signed by this server: anyone who presents it may follow the stream.
    public var signedStream: String
    /// The cursor from which the page misses nothing.
    public var since: String
    /// The absolute `http` or `https` address of the stream as Server-Sent Events.
    public var sse: String
    /// The absolute `ws` or `wss` address of the same stream.
    public var websocket: String
    /// A `<turbo-stream-source>` element, ready to insert into a page.
    public var html: String?

    public init(stream: String, signedStream: String, since: String, sse: String, websocket: String) {
        self.stream = stream
        self.signedStream = signedStream
        self.since = since
        self.sse = sse
        self.websocket = websocket
    }
}
