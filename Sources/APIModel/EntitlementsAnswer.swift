public import Domain

/// Answers `GET /users/{user}/entitlements`.
public struct EntitlementsAnswer: Codable, Sendable, Equatable {
    public var user: UserID
    /// Whether the main entitlement gives access now: the catalog's first, or `default`.
    public var active: Bool
    /// Each entitlement of the catalog, by its name.
    public var entitlements: [String: EntitlementItem]
    /// What the user bought, or was granted; the contracts that speak for the user come first.
    public var contracts: [ContractItem]
    /// The ledger's newest cursor when they were read.
    public var since: String

    public init(user: UserID, entitlements: [Entitlement], contracts: [ContractSummary], since: Cursor) {
        self.user = user
        active = entitlements.first?.isActive ?? false
        self.entitlements = EntitlementItem.byName(entitlements)
        self.contracts = contracts.map(ContractItem.init)
        self.since = since.description
    }
}

/// A level of access, and the contract that speaks for it. All but `active` and `trial` are null for a user who never had it.
public struct EntitlementItem: Codable, Sendable, Equatable {
    /// Whether it gives access now.
    public var active: Bool
    /// A `ContractState`.
    @Nullable public var state: String?
    /// The product by the store's id.
    @Nullable public var product: String?
    /// When access ends, of all contracts that open it: ISO 8601, UTC; null if it does not end by itself.
    @Nullable public var accessUntil: String?
    /// Whether it renews; null for what does not renew, or if the store has not said.
    @Nullable public var autoRenew: Bool?
    /// Whether it is a free trial now.
    public var trial: Bool
    /// ISO 8601, UTC; null without a trial.
    @Nullable public var trialEndsAt: String?
    /// Who tells of it.
    @Nullable public var provider: String?
    /// Who sold it: another store than `provider` behind RevenueCat and PurchaseKit.
    @Nullable public var store: String?
    /// The store's lineage id. Left out without a contract, on the feed, and for pages: whoever holds Google's may claim its
    /// purchase.
    public var contract: String?

    private init(_ summary: EntitlementSummary, contract: String?) {
        active = summary.isActive
        trial = summary.trialEndsAt != nil
        self.contract = contract
        state = summary.state?.rawValue
        product = summary.product
        accessUntil = summary.accessUntil?.iso8601
        autoRenew = summary.autoRenew
        trialEndsAt = summary.trialEndsAt?.iso8601
        provider = summary.provider?.rawValue
        store = summary.store
    }

    public static func byName(_ entitlements: [Entitlement]) -> [String: EntitlementItem] {
        Dictionary(
            entitlements.map {
                ($0.name.description, EntitlementItem($0.summary, contract: $0.winner?.contract.lineage))
            }
        ) { first, _ in first }
    }

    /// Without the contracts.
    public static func byName(_ summaries: [EntitlementSummary]) -> [String: EntitlementItem] {
        Dictionary(summaries.map { ($0.name.description, EntitlementItem($0, contract: nil)) }) { first, _ in first }
    }
}

/// What a user bought, or was granted.
public struct ContractItem: Codable, Sendable, Equatable {
    /// The product by the store's id.
    public var product: String
    /// The names of the entitlements that it opens while it is active.
    public var entitlements: [String]
    /// The product's group; null if it has none.
    @Nullable public var group: String?
    /// A `ContractState`.
    public var state: String
    /// Whether it opens them now.
    public var active: Bool
    /// When access ends: ISO 8601, UTC; null if it does not end by itself.
    @Nullable public var accessUntil: String?
    /// Whether it renews; null for what does not renew, or if the store has not said.
    @Nullable public var autoRenew: Bool?
    /// Whether it is a free trial now.
    public var trial: Bool
    /// When the trial ends: ISO 8601, UTC; null without one.
    @Nullable public var trialEndsAt: String?
    /// The product of the next period, if it changes.
    @Nullable public var pendingProduct: String?
    /// Who tells of it.
    public var provider: String
    /// Who sold it: another store than `provider` behind RevenueCat and PurchaseKit.
    public var store: String
    /// `Production` or `Sandbox`; in development also `Xcode`.
    public var environment: String
    /// The store's lineage id.
    public var contract: String
    /// Whether it is shared through the store's family.
    public var family: Bool
    /// How many of a consumable were handed over. Only consumables have this member, so that other products keep the
    /// members that they always had.
    public var quantity: Int?

    public init(_ summary: ContractSummary) {
        product = summary.product
        entitlements = summary.opens.map(\.description)
        state = summary.state.rawValue
        active = summary.isActive
        trial = summary.trialEndsAt != nil
        provider = summary.provider.rawValue
        store = summary.store
        environment = summary.environment.rawValue
        contract = summary.contract
        family = summary.isFamilyShared
        quantity = summary.quantity
        group = summary.group
        accessUntil = summary.accessUntil?.iso8601
        autoRenew = summary.autoRenew
        trialEndsAt = summary.trialEndsAt?.iso8601
        pendingProduct = summary.pendingProduct
    }
}
