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
    public var isPausing: Bool

    public init(
        state: ContractState,
        product: String,
        pendingProduct: String? = nil,
        accessUntil: Instant? = nil,
        autoRenew: Bool? = nil,
        isPausing: Bool = false
    ) {
        self.state = state
        self.product = product
        self.pendingProduct = pendingProduct
        self.accessUntil = accessUntil
        self.autoRenew = autoRenew
        self.isPausing = isPausing
    }

    public var isActive: Bool { state.givesAccess }

    /// When access will end by itself; nil when it will not, or already has.
    public var endsAt: Instant? { isActive ? accessUntil : nil }
}

/// The effect of a refund, or of any other revocation, on access: a charge that the store took back has `revokedAt`,
/// and ends only the period that it paid for. For one-time purchases see `Contract+DerivedStatus`.
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

    /// Google calls a revoked subscription expired too. The charge tells the difference, unless access came back and
    /// ended later.
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
