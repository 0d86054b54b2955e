public import Domain

/// All that is known of a user, as of now; what was said when is in `UserEvents`.
public struct UserRecord: Sendable, Equatable {
    /// What the user reads; nil when no app has said it.
    public var language: LanguageTag?
    public var isActive: Bool
    /// In the order of `UserEntitlements`.
    public var contracts: [ContractRecord]
    /// The newest 100, the newest first.
    public var orders: [OrderRecord]
    /// The newest position when it was read.
    public var head: Cursor
}

/// One contract, with what support asks about.
public struct ContractRecord: Sendable, Equatable {
    public var entitlement: Entitlement
    public var app: String
    public var kind: ProductKind
    /// Whose it is, and who holds it as well.
    public var owner: UserID?
    public var sharedWith: [UserID]
    /// The newest order's token that the store repeated.
    public var order: OrderToken?
    /// The store's own name of the buyer.
    public var account: String?
    /// The lineage that it took the place of.
    public var replaces: String?
    /// Its newest charge.
    public var charge: Transaction?
    /// When the store spoke of it last, by the store's own date.
    public var statedAt: Instant?
}
