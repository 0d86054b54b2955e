public import Domain

/// The store's knowledge of a purchase before the next event: the facts on which a notification builds.
public struct SimulatedSubscription: Sendable, Equatable {
    public var product: String
    public var kind: ProductKind
    public var group: String?
    /// `originalTransactionId`.
    public var lineage: String
    public var state: ContractState
    public var accessUntil: Instant?
    public var autoRenew: Bool
    public var pendingProduct: String?
    /// When it was bought, if known; nil means one period before its end.
    public var startedAt: Instant?
    /// How often it was renewed, if known.
    public var renewals: Int64 = 0
    /// Further products in the same purchase, at stores that sell several at once.
    public var addOns: [SimulatedAddOn] = []

    public init(
        product: String,
        kind: ProductKind = .subscription,
        group: String? = nil,
        lineage: String,
        state: ContractState = .pending,
        accessUntil: Instant? = nil,
        autoRenew: Bool = true,
        pendingProduct: String? = nil
    ) {
        self.product = product
        self.kind = kind
        self.group = group
        self.lineage = lineage
        self.state = state
        self.accessUntil = accessUntil
        self.autoRenew = autoRenew
        self.pendingProduct = pendingProduct
    }

    /// Nothing bought yet. The lineage is derived from the order, so that later simulations continue the same contract.
    public init(product: String, kind: ProductKind = .subscription, order: OrderToken) {
        self.init(product: product, kind: kind, lineage: StoreID.make(order.description))
    }
}

/// A further product of a purchase: an add-on of a subscription at Google, a further item of one at Stripe. It shares
/// the state of the purchase.
public struct SimulatedAddOn: Sendable, Equatable {
    public var product: String
    /// Nil if it ends with the product to which it was added; always nil at Stripe.
    public var accessUntil: Instant?
    /// At Stripe, it renews with the other items.
    public var autoRenew: Bool

    public init(product: String, accessUntil: Instant? = nil, autoRenew: Bool = true) {
        self.product = product
        self.accessUntil = accessUntil
        self.autoRenew = autoRenew
    }
}

/// Ids of 16 digits that look like those of Apple's Sandbox. The same words give the same id.
public enum StoreID {
    public static func make(_ words: String...) -> String {
        // FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/): stable across processes, which Swift's Hasher is not.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in words.joined(separator: "/").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let digits = String(hash % 1_000_000_000_000_000)
        return "2" + String(repeating: "0", count: 15 - digits.utf8.count) + digits
    }
}
