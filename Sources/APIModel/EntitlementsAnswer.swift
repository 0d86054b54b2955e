public import Domain

/// Answers `GET /users/{user}/entitlements`.
public struct EntitlementsAnswer: Codable, Sendable, Equatable {
    public var user: UserID
    /// Whether one of the entitlements gives access now.
    public var active: Bool
    /// The user's present and past entitlements; those that speak for the user come first.
    public var entitlements: [EntitlementItem]
    /// The ledger's newest cursor when they were read.
    public var since: String

    public init(user: UserID, active: Bool, entitlements: [EntitlementItem], since: Cursor) {
        self.user = user
        self.active = active
        self.entitlements = entitlements
        self.since = since.description
    }
}

/// A user's right because of one contract.
public struct EntitlementItem: Codable, Sendable, Equatable {
    /// The product by the store's id.
    public var product: String
    /// The product's group; null if it has none.
    @Nullable public var group: String?
    /// A `ContractState`.
    public var state: String
    /// Whether it gives access now.
    public var active: Bool
    /// When access ends: ISO 8601, UTC; null if it does not end by itself.
    @Nullable public var accessUntil: String?
    /// Whether it renews; null for what does not renew, or if the store has not said.
    @Nullable public var autoRenew: Bool?
    /// Whether it is a free trial now.
    public var trial: Bool
    /// When the trial ends: ISO 8601, UTC; null if it is none.
    @Nullable public var trialEndsAt: String?
    /// The product of the next period, if it changes.
    @Nullable public var pendingProduct: String?
    /// The store's name.
    public var provider: String
    /// `Production` or `Sandbox`; in development also `Xcode`.
    public var environment: String
    /// The store's lineage id.
    public var contract: String
    /// Whether it is shared through the store's family.
    public var family: Bool
    /// How many of a consumable were handed over. Only consumables have this member, so that other products keep the
    /// members that they always had.
    public var quantity: Int?

    public init(_ entitlement: Entitlement) {
        product = entitlement.product
        state = entitlement.state.rawValue
        active = entitlement.isActive
        trial = entitlement.trialEndsAt != nil
        provider = entitlement.provider.rawValue
        environment = entitlement.environment.rawValue
        contract = entitlement.contract
        family = entitlement.isFamilyShared
        quantity = entitlement.quantity
        group = entitlement.group
        accessUntil = entitlement.accessUntil?.iso8601
        autoRenew = entitlement.autoRenew
        trialEndsAt = entitlement.trialEndsAt?.iso8601
        pendingProduct = entitlement.pendingProduct
    }
}
