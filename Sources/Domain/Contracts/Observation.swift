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
    public var isFamilyShared = false
    /// The entitlements that the store itself says its product opens (RevenueCat: `entitlement_ids`); nil if it says nothing
    /// of them.
    public var entitlements: [String]?
    /// The store that sold it, where another one tells of it (RevenueCat, PurchaseKit): `apple`, `google`, `stripe` …
    public var store: String?
    /// True when somebody bought what the transaction charges for, so that its token is that buyer's. A renewal only
    /// repeats the token of the purchase before it.
    public var isPurchase = false
    /// Whether it renews, for statements to come that leave it open: their snapshot's `autoRenew` is nil.
    public var renewal: Bool?
    public var transaction: Transaction?
    public var snapshot: Snapshot?
    /// What it says of charges: of the one that `transaction` is about, if anybody paid for that, or of others of the contract.
    public var charges: [Charge] = []
}

extension Observation {
    public init(contract: ContractKey, kind: ProductKind) { self.init(contract: contract, kind: kind, group: nil) }

    /// The product that it is about, if it says so.
    var product: String? { snapshot?.product ?? transaction?.product }
}

/// A store's own statement of a subscription's status at one instant. The newest one decides the state.
public struct Snapshot: Sendable, Equatable {
    public var state: ContractState
    public var product: String
    /// The product that the next renewal switches to; nil when it stays.
    public var pendingProduct: String?
    /// Nil if the statement says nothing about it: what was said before holds.
    public var autoRenew: Bool?
    /// End of the paid period, or of the grace period when the state is `inGracePeriod`.
    public var accessUntil: Instant?
    /// The ordering key: the inner signed date, or the outer one where there is no inner one.
    public var signedAt: Instant
    /// True when the subscription pauses at the end of the period. Only the event's name says so (Google's type 11,
    /// RevenueCat's SUBSCRIPTION_PAUSED).
    public var isPausing: Bool
    /// True while the period is a free trial.
    public var isTrial: Bool

    public init(
        state: ContractState,
        product: String,
        pendingProduct: String? = nil,
        autoRenew: Bool?,
        accessUntil: Instant?,
        signedAt: Instant,
        isPausing: Bool = false,
        isTrial: Bool = false
    ) {
        self.state = state
        self.product = product
        self.pendingProduct = pendingProduct
        self.autoRenew = autoRenew
        self.accessUntil = accessUntil
        self.signedAt = signedAt
        self.isPausing = isPausing
        self.isTrial = isTrial
    }
}

/// One charge, as the store signed it. Its newest signed version counts.
public struct Transaction: Sendable, Equatable {
    public var id: String
    public var product: String
    public var purchasedAt: Instant
    public var expiresAt: Instant?
    public var revokedAt: Instant?
    /// Superseded by an upgrade.
    public var isUpgraded = false
    /// True when it paid nothing for a trial.
    public var isTrial = false
    /// What tells several offers of one product apart (Google's purchase option of a rental).
    public var option: String?
    public var quantity = 1
    /// Thousandths of the currency's unit: 9990 is 9.99. Not for accounting.
    public var price: Int64?
    /// ISO 4217.
    public var currency: String?
    public var signedAt: Instant
}

extension Transaction {
    public init(id: String, product: String, purchasedAt: Instant, signedAt: Instant) {
        self.id = id
        self.product = product
        self.purchasedAt = purchasedAt
        self.signedAt = signedAt
    }

    /// What a receipt of Google's shows, without the `..5` of a renewal: it is the same for all charges of a contract. Nil
    /// for another store's charge.
    public var orderNumber: String? {
        id.utf8.starts(with: "GPA.".utf8) ? Transaction.orderNumber(id) : nil
    }

    /// The order number in what somebody has copied from a receipt of Google's: what stands before `..5`.
    public static func orderNumber(_ text: String) -> String {
        text.firstRange(of: "..").map { String(text[..<$0.lowerBound]) } ?? text
    }
}
