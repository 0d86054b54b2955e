public import Domain

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
        let period = SimulatedProduct(id: product, kind: kind).period
        let paidUntil = accessUntil ?? now
        switch step {
        case .initial: facts.run(until: now + period)
        case .renew, .recover:
            facts.product = pendingProduct ?? product
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
            facts.product = pendingProduct ?? neighbour(.upgrade)
            facts.run(until: now + SimulatedProduct(id: facts.product, kind: kind).period)
        case .downgrade: facts.pendingProduct = pendingProduct ?? neighbour(.downgrade)
        }
        return facts
    }

    private mutating func run(until end: Instant) {
        state = .active
        accessUntil = end
        autoRenew = true
        pendingProduct = nil
    }

    /// The other product in the catalog, or a made-up one.
    func neighbour(_ step: LifecycleStep) -> String {
        let others = SimulatedProduct.catalog.filter { $0.id != product }
        let isListed = others.count < SimulatedProduct.catalog.count
        return isListed ? others[0].id : product + (step == .upgrade ? ".plus" : ".basic")
    }
}

/// The steps of a subscription's life, in words that mean the same for every store.
public enum LifecycleStep: String, CaseIterable, Sendable {
    /// Bought for the first time.
    case initial
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
