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

extension ContractState {
    /// `delivered` gives no access: the product was handed over once.
    public var givesAccess: Bool {
        switch self {
        case .active, .cancelled, .inGracePeriod, .owned: true
        case .pending, .inBillingRetry, .paused, .expired, .revoked, .delivered: false
        }
    }
}

/// Where a contract stands. Raw values are the words of the public interface.
public enum ContractState: String, CaseIterable, Sendable {
    case pending
    case active
    /// Renewal is off; access runs on until the period ends.
    case cancelled
    case inGracePeriod = "in_grace_period"
    case inBillingRetry = "in_billing_retry"
    case paused
    case expired
    case revoked
    /// A one-time product that stays.
    case owned
    /// A consumable that was handed over.
    case delivered
}
