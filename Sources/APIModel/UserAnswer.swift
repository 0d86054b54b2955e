public import Domain

/// Answers `GET /users/{user}`.
public struct UserAnswer: Codable, Sendable, Equatable {
    public var user: UserID
    /// The name of the stream that the user's pages follow.
    public var stream: String
    /// The language tag that the app reported last; left out if it never reported one.
    public var locale: String?
    /// Whether one of the contracts gives access now.
    public var active: Bool
    /// The contracts that speak for the user come first.
    public var contracts: [ContractItem]
    /// The newest 100, newest first.
    public var orders: [OrderItem]
    /// The ledger's newest cursor when it was read.
    public var since: String

    public init(
        user: UserID,
        stream: String,
        locale: String?,
        active: Bool,
        contracts: [ContractItem],
        orders: [OrderItem],
        since: Cursor
    ) {
        self.user = user
        self.stream = stream
        self.locale = locale
        self.active = active
        self.contracts = contracts
        self.orders = orders
        self.since = since.description
    }
}
