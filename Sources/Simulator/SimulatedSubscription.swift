public import Domain

/// The store's knowledge of a purchase before the next event: the facts on which a notification builds.
public struct SimulatedSubscription: Sendable, Equatable {
    public var product: String
    public var kind = ProductKind.subscription
    public var group: String?
    /// `originalTransactionId`.
    public var lineage: String
    public var state = ContractState.pending
    public var accessUntil: Instant?
    public var autoRenew = true
    public var pendingProduct: String?
    /// Its period is a free trial, or will be when it is bought.
    public var isTrial = false
    /// When it was bought, if known; nil means one period before its end.
    public var startedAt: Instant?
    /// How often it was renewed, if known.
    public var renewals: Int64 = 0
    /// Further products in the same purchase, at stores that sell several at once.
    public var addOns: [SimulatedAddOn] = []
}

extension SimulatedSubscription {
    public init(product: String, kind: ProductKind = .subscription, lineage: String) {
        self.init(product: product, kind: kind, group: nil, lineage: lineage)
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
    public var autoRenew = true
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

extension SimulatedSubscription {
    /// How the store sees the purchase after `step`: the facts on which the next event builds, whether or not this
    /// event is delivered.
    public func after(_ step: LifecycleStep, at now: Instant) -> SimulatedSubscription {
        var facts = self
        guard kind == .subscription else {
            facts.state = step == .refund ? .revoked : .owned
            facts.autoRenew = false
            return facts
        }
        let period = isTrial ? SimulatedProduct.trial : SimulatedProduct(id: product, kind: kind).period
        let paidUntil = accessUntil ?? now
        switch step {
        case .initial: facts.run(until: now + period)
        case .trial:
            facts.isTrial = true
            facts.run(until: now + SimulatedProduct.trial)
        case .renew, .recover:
            facts.product = pendingProduct ?? product
            facts.isTrial = false
            let base = step == .recover && state == .inGracePeriod ? now : max(paidUntil, now)
            facts.run(until: base + SimulatedProduct(id: facts.product, kind: kind).period)
        case .grace: (facts.state, facts.accessUntil) = (.inGracePeriod, now + AppStorePurchaseModel.gracePeriod)
        case .retry: (facts.state, facts.accessUntil) = (.inBillingRetry, min(paidUntil, now - .seconds(1)))
        case .cancel: (facts.state, facts.autoRenew) = (.cancelled, false)
        case .resume: (facts.state, facts.autoRenew) = (.active, true)
        case .expire:
            facts.state = .expired
            facts.autoRenew = false
            facts.accessUntil = min(paidUntil, now - .seconds(1))
        case .refund: (facts.state, facts.autoRenew) = (.revoked, false)
        case .reversed: facts.run(until: paidUntil > now ? paidUntil : now + period)
        case .pause: (facts.state, facts.accessUntil) = (.paused, min(paidUntil, now - .seconds(1)))
        case .upgrade:
            facts.isTrial = false
            facts.product = pendingProduct ?? SimulatedProduct.neighbour(of: product, .upgrade)
            facts.run(until: now + SimulatedProduct(id: facts.product, kind: kind).period)
        case .downgrade: facts.pendingProduct = pendingProduct ?? SimulatedProduct.neighbour(of: product, .downgrade)
        }
        return facts
    }

    private mutating func run(until end: Instant) {
        state = .active
        accessUntil = end
        autoRenew = true
        pendingProduct = nil
    }
}

/// The steps of a subscription's life, in words that mean the same for every store.
public enum LifecycleStep: String, CaseIterable, Sendable {
    /// Bought for the first time.
    case initial
    /// Bought for the first time, and the first period is a free trial.
    case trial
    case renew
    /// The payment failed; access continues for a while.
    case grace
    /// The payment failed, and access has ended.
    case retry
    /// The payment succeeded after all.
    case recover
    /// Renewal is switched off; access runs on until the period ends.
    case cancel
    /// Renewal is switched on again.
    case resume
    case expire
    case refund
    /// The refund is reversed.
    case reversed
    case pause
    case upgrade
    case downgrade
}
