/// What is sold and what each product opens (`GET /catalog`), in the order of display. `Purchases.products` has prices.
public struct Catalog: Codable, Equatable, Sendable {
    public struct Entitlement: Codable, Equatable, Sendable {
        public var name: String
        /// For people.
        public var title: String?
    }

    public struct Product: Codable, Equatable, Sendable {
        /// The store's.
        public var id: String
        /// For people.
        public var name: String?
        /// Such as `subscription` or `consumable`.
        public var kind: String?
        /// Of the subscriptions of one group a user has one at a time.
        public var group: String?
        /// The names of what it opens. None for a consumable.
        public var entitlements: [String]?
    }

    /// The first one is the main one.
    public var entitlements: [Entitlement]
    public var products: [Product]

    /// What opens the entitlement, or the main one: an offering, by the ids of the store. Everything, if there are no names.
    public func products(of entitlement: String? = nil) -> [String] {
        guard let name = entitlement ?? entitlements.first?.name else { return products.map(\.id) }
        return products.filter { $0.entitlements?.contains(name) ?? false }.map(\.id)
    }
}
