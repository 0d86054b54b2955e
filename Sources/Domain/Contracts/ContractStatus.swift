/// Where a contract stands at one instant, before the policy says whether it opens access.
public struct ContractStatus: Sendable, Hashable {
    public var state: ContractState
    public var product: String
    public var pendingProduct: String?
    /// When access ends, or ended. Nil when access has no end or never began.
    public var accessUntil: Instant?
    /// Nil when the store has not said it; a transaction alone does not say it.
    public var autoRenew: Bool?
    /// Renewal stays on, but the next period is a pause.
    public var isPausing = false
    /// True while its period is a free trial.
    public var isTrial = false

    public var isActive: Bool { state.givesAccess }

    /// When the free trial ends that the present period is; nil without one.
    public var trialEndsAt: Instant? { isTrial ? endsAt : nil }

    /// When access will end by itself; nil when it will not, or already has.
    public var endsAt: Instant? { isActive ? accessUntil : nil }
}

extension ContractStatus {
    public init(state: ContractState, product: String) {
        self.state = state
        self.product = product
    }
}

/// The effect of a refund, or of any other revocation, on access: a charge that the store took back has `revokedAt`,
/// and ends only the period that it paid for. For one-time purchases see `oneTimeStatus`.
extension ContractStatus {
    /// Access ends with the refund: Apple still states the end of the refunded period.
    mutating func endAtRefund(of charge: Transaction) {
        guard state == .revoked, let revokedAt = charge.revokedAt else { return }
        accessUntil = min(revokedAt, accessUntil ?? revokedAt)
    }

    /// Ends the period that the charge paid for; a period that another charge pays for goes on.
    mutating func revoke(by charge: Transaction) {
        guard let revokedAt = charge.revokedAt, isActive, charge.paid(forPeriodUntil: accessUntil) else { return }
        state = .revoked
        accessUntil = revokedAt
    }

    /// Whether the end is a refund's, at a store that `expiresRevocations`.
    func wasRefunded(_ charge: Transaction) -> Bool {
        state == .expired && charge.revokedAt != nil && charge.paid(forPeriodUntil: accessUntil)
    }
}

extension Transaction {
    fileprivate func paid(forPeriodUntil end: Instant?) -> Bool {
        guard let paid = expiresAt else { return true }
        return end.map { paid >= $0 } ?? false
    }
}

extension Contract {
    /// How long a non-renewing purchase gives access when the store does not say: Apple never does.
    public static let nonRenewingTerm = CalendarDuration.years(1)

    /// Where the contract stands at `now`; nil when no store has said anything about its state yet.
    ///
    /// Access whose end has passed is `expired`, and so is a grace period: we know that it ended, but not whether the
    /// store still tries to charge, until the store says so. When a renewal is expected, access outlasts the period by
    /// the policy's leeway, so that a late notification can arrive or the store can be asked. The end that is shown
    /// remains the store's.
    ///
    /// A subscription whose end no statement gives opens nothing yet, nor does a rental whose duration the catalog does not
    /// name: only what is bought for ever has no end.
    ///
    /// A trial is over with its access: a grace and a retry wait for the first charge.
    public func status(at now: Instant, policy: AccessPolicy = AccessPolicy(sandboxUsers: .any)) -> ContractStatus? {
        let said = kind == .subscription ? subscriptionStatus : oneTimeStatus(policy.catalog)
        guard var status = said else { return nil }
        let mustEnd = kind == .subscription || kind == .nonRenewing
        if mustEnd, status.isActive, status.accessUntil == nil { status.state = .pending }
        if let end = end(of: status, policy: policy), end <= now { status.state = .expired }
        status.isTrial = status.isTrial && (status.state == .active || status.state == .cancelled)
        return status
    }

    /// When access under this status ends unless the store says more; nil when it will not end, or already has.
    public func end(of status: ContractStatus, policy: AccessPolicy) -> Instant? {
        guard let end = status.endsAt else { return nil }
        return expectsRenewal(status) ? end + policy.leeway : end
    }

    private func expectsRenewal(_ status: ContractStatus) -> Bool {
        guard kind == .subscription else { return false }
        return status.state == .inGracePeriod || status.state == .active && status.autoRenew != false
    }

    /// True when the contract has ever given access, as far as its newest statements tell.
    public var hasBegun: Bool {
        if transaction != nil { return true }
        guard let snapshot = snapshot?.snapshot else { return false }
        return snapshot.state.givesAccess || snapshot.state != .pending && snapshot.accessUntil != nil
    }

    /// True when the newest period that the store has told of is a free trial, whatever has become of it since. A charge that
    /// an app posts ahead of the store's notification does not count: the notification names what has happened.
    var isOfTrial: Bool {
        var told = self
        if snapshot != nil, transaction?.isPosted == true { told.transaction = nil }
        return kind == .subscription && told.subscriptionStatus?.isTrial == true
    }

    /// The snapshot decides. A transaction that was signed after it (the app posts it before the store's notification
    /// arrives) may extend access or revoke the current period, and never shortens access otherwise.
    private var subscriptionStatus: ContractStatus? {
        guard let snapshot = snapshot?.snapshot else { return transaction.map { ContractStatus(of: $0.transaction) } }
        var status = ContractStatus(of: snapshot)
        if status.autoRenew == nil { status.adopt(renewal: renewal?.value) }
        guard let charge = transaction?.transaction else { return status }
        if status.isActive, status.accessUntil == nil { status.accessUntil = charge.revokedAt ?? charge.expiresAt }
        status.endAtRefund(of: charge)
        status.outlast(charge)
        if key.provider.announcesPlanChanges, let pending = snapshot.pendingProduct, pending == charge.product,
            charge.revokedAt == nil
        {
            status = ContractStatus(of: charge)
            status.autoRenew = snapshot.autoRenew
            return status
        }
        if key.provider.expiresRevocations, status.wasRefunded(charge) {
            status.state = .revoked
            return status
        }
        // Renewal info that an app posts beside a charge from before its refund is newer than the refund, and says
        // nothing of it. What the charge was signed as last does. A grace is not paid by a charge.
        if self.snapshot?.isPosted == true, status.state != .inGracePeriod { status.revoke(by: charge) }
        guard charge.signedAt > snapshot.signedAt else { return status }
        if charge.revokedAt != nil {
            status.revoke(by: charge)
            return status
        }
        guard extends(charge, beyond: status) else { return status }
        var extended = ContractStatus(of: charge)
        if snapshot.state == .active {
            extended.autoRenew = snapshot.autoRenew
            extended.pendingProduct = snapshot.product == charge.product ? snapshot.pendingProduct : nil
        }
        return extended
    }

    private func oneTimeStatus(_ catalog: Catalog) -> ContractStatus? {
        guard let charge = transaction?.transaction else { return snapshot.map { ContractStatus(of: $0.snapshot) } }
        if let snapshot = snapshot?.snapshot, snapshot.signedAt >= charge.signedAt, snapshot.state.endsPurchase {
            var status = ContractStatus(of: snapshot)
            // A refund does not always name the refunded product (Stripe).
            if status.product.isEmpty { status.product = ContractStatus(of: charge).product }
            return status
        }
        var status = ContractStatus(of: charge)
        guard status.state != .revoked else { return status }
        switch kind {
        case .consumable: (status.state, status.accessUntil) = (.delivered, nil)
        case .nonConsumable: (status.state, status.accessUntil) = (.owned, nil)
        case .nonRenewing:
            let term = catalog.duration(of: charge.product, option: charge.option)
            status.accessUntil = charge.expiresAt ?? term?.end(from: charge.purchasedAt)
        case .subscription: break
        }
        return status
    }
}

private func extends(_ charge: Transaction, beyond status: ContractStatus) -> Bool {
    guard let end = charge.expiresAt else { return !status.isActive }
    guard let current = status.accessUntil else { return !status.isActive }
    return end > current
}

extension ContractStatus {
    /// A grace never ends before what was paid does. Stripe calls a subscription past due whichever of its charges
    /// failed, so the grace may be counted from a period that is paid.
    fileprivate mutating func outlast(_ charge: Transaction) {
        guard state == .inGracePeriod, charge.revokedAt == nil, let paid = charge.expiresAt, let end = accessUntil
        else {
            return
        }
        accessUntil = max(end, paid)
    }

    /// For a statement that says nothing about renewal: what was said of it before still holds.
    fileprivate mutating func adopt(renewal: Bool?) {
        autoRenew = renewal
        if state == .active, renewal == false { state = .cancelled }
    }

    fileprivate init(of snapshot: Snapshot) {
        self.init(
            state: snapshot.state,
            product: snapshot.product,
            pendingProduct: snapshot.pendingProduct,
            accessUntil: snapshot.accessUntil,
            autoRenew: snapshot.autoRenew,
            isPausing: snapshot.isPausing,
            isTrial: snapshot.isTrial
        )
    }

    fileprivate init(of charge: Transaction) {
        self.init(
            state: charge.revokedAt == nil ? .active : .revoked,
            product: Catalog.name(of: charge.product, option: charge.option),
            accessUntil: charge.revokedAt ?? charge.expiresAt,
            isTrial: charge.isTrial
        )
    }
}

extension ContractState {
    /// Facts about a one-time purchase that only a snapshot has, not its transaction.
    fileprivate var endsPurchase: Bool { self == .revoked || self == .expired || self == .pending }
}
