extension Contract {
    /// How long a non-renewing purchase gives access when the store does not say: Apple never does.
    public static let nonRenewingTerm = Duration.seconds(365 * 86_400)

    /// Where the contract stands at `now`; nil when no store has said anything about its state yet.
    ///
    /// Access whose end has passed is `expired`, and so is a grace period: we know that it ended, but not whether the
    /// store still tries to charge, until the store says so. When a renewal is expected, access outlasts the period by
    /// the policy's leeway, so that a late notification can arrive or the store can be asked. The end that is shown
    /// remains the store's.
    public func standing(at now: Instant, policy: AccessPolicy = AccessPolicy(sandboxUsers: .all)) -> Standing? {
        let said = kind == .subscription ? subscriptionStanding : oneTimeStanding(policy.catalog)
        guard var standing = said else { return nil }
        if let end = end(of: standing, policy: policy), end <= now { standing.state = .expired }
        return standing
    }

    /// When access under this standing ends unless the store says more; nil when it will not end, or already has.
    public func end(of standing: Standing, policy: AccessPolicy) -> Instant? {
        guard let end = standing.endsAt else { return nil }
        return expectsRenewal(standing) ? end + policy.leeway : end
    }

    private func expectsRenewal(_ standing: Standing) -> Bool {
        guard kind == .subscription else { return false }
        return standing.state == .inGracePeriod || standing.state == .active && standing.autoRenew != false
    }

    /// True when the contract has ever given access, as far as its newest statements tell.
    public var hasBegun: Bool {
        if transaction != nil { return true }
        guard let snapshot = snapshot?.snapshot else { return false }
        return snapshot.state.givesAccess || snapshot.state != .pending && snapshot.accessUntil != nil
    }

    /// The snapshot decides. A transaction that was signed after it (the app posts it before the store's notification
    /// arrives) may extend access or revoke the current period, and never shortens access otherwise.
    private var subscriptionStanding: Standing? {
        guard let snapshot = snapshot?.snapshot else { return transaction.map { Standing(of: $0.transaction) } }
        var standing = Standing(of: snapshot)
        guard let charge = transaction?.transaction else { return standing }
        // After a refund, Apple still states the end of the refunded period.
        if standing.state == .revoked, let revokedAt = charge.revokedAt {
            standing.accessUntil = min(revokedAt, standing.accessUntil ?? revokedAt)
        }
        // RevenueCat announces a plan change in a separate event, before or after the purchase that makes it. At other
        // stores the charge may belong to an older period, when the change leads back to a product bought before.
        if key.provider.announcesPlanChanges, let pending = snapshot.pendingProduct, pending == charge.product,
            charge.revokedAt == nil
        {
            standing = Standing(of: charge)
            standing.autoRenew = snapshot.autoRenew
            return standing
        }
        // Google calls a revoked subscription expired too. The charge tells the difference, unless access came back and
        // ended later.
        if key.provider.expiresRevocations, standing.state == .expired, charge.revokedAt != nil,
            covers(charge, standing.accessUntil)
        {
            standing.state = .revoked
            return standing
        }
        guard charge.signedAt > snapshot.signedAt else { return standing }
        if let revokedAt = charge.revokedAt {
            guard standing.isActive, covers(charge, standing.accessUntil) else { return standing }
            standing.state = .revoked
            standing.accessUntil = revokedAt
            return standing
        }
        guard extends(charge, standing) else { return standing }
        var extended = Standing(of: charge)
        if snapshot.state == .active {
            extended.autoRenew = snapshot.autoRenew
            extended.pendingProduct = snapshot.product == charge.product ? snapshot.pendingProduct : nil
        }
        return extended
    }

    private func oneTimeStanding(_ catalog: Catalog) -> Standing? {
        guard let charge = transaction?.transaction else { return snapshot.map { Standing(of: $0.snapshot) } }
        if let snapshot = snapshot?.snapshot, snapshot.signedAt >= charge.signedAt, snapshot.state.endsPurchase {
            var standing = Standing(of: snapshot)
            // A refund does not always name the refunded product (Stripe).
            if standing.product.isEmpty { standing.product = charge.product }
            return standing
        }
        var standing = Standing(of: charge)
        guard standing.state != .revoked else { return standing }
        switch kind {
        case .consumable: (standing.state, standing.accessUntil) = (.delivered, nil)
        case .nonConsumable: (standing.state, standing.accessUntil) = (.owned, nil)
        case .nonRenewing:
            let term = catalog[charge.product]?.duration ?? Contract.nonRenewingTerm
            standing.accessUntil = charge.expiresAt ?? charge.purchasedAt + term
        case .subscription: break
        }
        return standing
    }
}

private func extends(_ charge: Transaction, _ standing: Standing) -> Bool {
    guard let end = charge.expiresAt else { return !standing.isActive }
    guard let current = standing.accessUntil else { return !standing.isActive }
    return end > current
}

/// True when the charge paid for the period that ends at `end`.
private func covers(_ charge: Transaction, _ end: Instant?) -> Bool {
    guard let paid = charge.expiresAt else { return true }
    return end.map { paid >= $0 } ?? false
}

extension Standing {
    fileprivate init(of snapshot: Snapshot) {
        self.init(
            state: snapshot.state,
            product: snapshot.product,
            pendingProduct: snapshot.pendingProduct,
            accessUntil: snapshot.accessUntil,
            autoRenew: snapshot.autoRenew,
            isPausing: snapshot.isPausing
        )
    }

    fileprivate init(of charge: Transaction) {
        self.init(
            state: charge.revokedAt == nil ? .active : .revoked,
            product: charge.product,
            accessUntil: charge.revokedAt ?? charge.expiresAt
        )
    }
}

extension ContractState {
    /// What a snapshot can say about a one-time purchase that its transaction does not.
    fileprivate var endsPurchase: Bool { self == .revoked || self == .expired || self == .pending }
}
