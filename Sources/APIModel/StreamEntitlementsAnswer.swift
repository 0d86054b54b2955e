public import Domain

/// Answers `GET /entitlements`: what the holder of a signed stream name may know of its user.
///
/// It is a list of its own, so that nothing that is added to the API's answer reaches pages by accident. It lacks
/// `contract`: Google's is the purchase token, and whoever holds a token may claim its purchase. It lacks `since`, because
/// the ledger's position moves with every user's purchases, and the answer's tag would never match again.
public struct StreamEntitlementsAnswer: Codable, Sendable, Equatable {
    public var user: UserID
    /// Whether one of the entitlements gives access now.
    public var active: Bool
    /// What the user holds or held; the entitlements that speak for the user come first.
    public var entitlements: [StreamEntitlementItem]

    public init(user: UserID, active: Bool, entitlements: [Entitlement]) {
        self.user = user
        self.active = active
        self.entitlements = entitlements.map { StreamEntitlementItem(EntitlementItem($0)) }
    }
}

/// The members of `EntitlementItem` that are for pages.
public struct StreamEntitlementItem: Codable, Sendable, Equatable {
    public var product: String
    @Nullable public var group: String?
    public var state: String
    public var active: Bool
    @Nullable public var accessUntil: String?
    @Nullable public var autoRenew: Bool?
    @Nullable public var pendingProduct: String?
    public var provider: String
    public var environment: String
    public var family: Bool
    public var quantity: Int?

    init(_ item: EntitlementItem) {
        product = item.product
        state = item.state
        active = item.active
        provider = item.provider
        environment = item.environment
        family = item.family
        quantity = item.quantity
        group = item.group
        accessUntil = item.accessUntil
        autoRenew = item.autoRenew
        pendingProduct = item.pendingProduct
    }
}
