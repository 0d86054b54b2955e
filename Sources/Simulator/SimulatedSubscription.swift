public import Domain

/// What the store knows of a purchase before it says something new: the facts that a notification builds on.
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
    /// When it was bought, for who remembers; nil: one period before its end.
    public var startedAt: Instant?
    /// How often it was renewed, for who remembers.
    public var renewals: Int64 = 0
    /// What the same purchase holds besides, at the stores that sell several products at once.
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

    /// Nothing bought yet. The lineage follows from the order, so whoever simulates next continues the same contract.
    public init(product: String, kind: ProductKind = .subscription, order: OrderToken) {
        self.init(product: product, kind: kind, lineage: StoreID.make(order.description))
    }
}

/// A further product of a purchase: an add-on of a subscription at Google, a further item of one at Stripe. The
/// purchase's state is its own.
public struct SimulatedAddOn: Sendable, Equatable {
    public var product: String
    /// Nil, and always at Stripe: with the product that it was added to.
    public var accessUntil: Instant?
    /// At Stripe it is renewed with the others.
    public var autoRenew: Bool

    public init(product: String, accessUntil: Instant? = nil, autoRenew: Bool = true) {
        self.product = product
        self.accessUntil = accessUntil
        self.autoRenew = autoRenew
    }
}

/// Ids of 16 digits that look like the Sandbox's, the same for the same words.
enum StoreID {
    static func make(_ words: String...) -> String {
        // FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/): stable across processes, which Swift's Hasher is not.
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in words.joined(separator: "/").utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let digits = String(hash % 1_000_000_000_000_000)
        return "2" + String(repeating: "0", count: 15 - digits.utf8.count) + digits
    }
}
