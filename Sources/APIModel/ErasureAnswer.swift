public import Domain

/// Answers `DELETE /users/{user}`: what was erased. All numbers are 0 for a user of whom nothing is known.
public struct ErasureAnswer: Codable, Sendable, Equatable {
    public var contracts: Int
    public var orders: Int
    /// Entries and events whose content was erased; their positions stay.
    public var events: Int
    public var fragments: Int
    /// The ledger's newest cursor.
    public var since: String

    public init(contracts: Int, orders: Int, events: Int, fragments: Int, since: Cursor) {
        self.contracts = contracts
        self.orders = orders
        self.events = events
        self.fragments = fragments
        self.since = since.description
    }
}
