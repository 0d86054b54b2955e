/// The body of `POST /users/{user}/grants`: with one of `product` and `entitlement`, and one of `until`, `days` and `forever`.
public struct GrantRequest: Codable, Sendable, Equatable {
    /// The product by the app's catalog, or by a store's id.
    public var product: String?
    /// The name of an entitlement of the catalog; `default` without any.
    public var entitlement: String?
    /// The group in which one product is active at a time.
    public var group: String?
    /// ISO 8601.
    public var until: String?
    /// From now on.
    public var days: Int64?
    public var forever: Bool?
    public var reason: String

    public init(product: String? = nil, entitlement: String? = nil, reason: String) {
        self.product = product
        self.entitlement = entitlement
        self.reason = reason
    }
}

/// The body of `POST /users/{user}/claims`.
public struct ClaimRequest: Codable, Sendable, Equatable {
    /// The store's id of an event of the purchase.
    public var event: String
    /// For the audit.
    public var reason: String

    public init(event: String, reason: String) {
        self.event = event
        self.reason = reason
    }
}
