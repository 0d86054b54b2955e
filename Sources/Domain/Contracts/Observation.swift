/// The statement of one event about one contract.
public struct Observation: Sendable, Equatable {
    public var contract: ContractKey
    public var kind: ProductKind
    /// The product group in which one product is active at a time (Apple: `subscriptionGroupIdentifier`).
    public var group: String?
    /// The order's token that the store echoes (Apple: `appAccountToken`).
    public var token: OrderToken?
    /// The store's own name for the buyer, used as the fallback identity (Apple: `appTransactionId`, Google: the
    /// obfuscated account id, Stripe: the customer).
    public var account: String?
    /// The app's own user id, if the app gave it to the store (RevenueCat: `app_user_id`, PurchaseKit: `customer_id`).
    public var user: UserID?
    /// The lineage that this one replaces: Apple's MIGRATION, Google's `linkedPurchaseToken`.
    public var previousLineage: String?
    public var isFamilyShared: Bool
    /// True when somebody bought what the transaction charges for, so that its token is that buyer's. A renewal only
    /// repeats the token of the purchase before it.
    public var isPurchase: Bool
    public var transaction: Transaction?
    public var snapshot: Snapshot?

    public init(
        contract: ContractKey,
        kind: ProductKind,
        group: String? = nil,
        token: OrderToken? = nil,
        account: String? = nil,
        user: UserID? = nil,
        previousLineage: String? = nil,
        isFamilyShared: Bool = false,
        isPurchase: Bool = false,
        transaction: Transaction? = nil,
        snapshot: Snapshot? = nil
    ) {
        self.contract = contract
        self.kind = kind
        self.group = group
        self.token = token
        self.account = account
        self.user = user
        self.previousLineage = previousLineage
        self.isFamilyShared = isFamilyShared
        self.isPurchase = isPurchase
        self.transaction = transaction
        self.snapshot = snapshot
    }
}
