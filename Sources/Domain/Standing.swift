/// Where a contract stands at one instant, before the policy says whether it opens access.
public struct Standing: Sendable, Hashable {
    public var state: ContractState
    public var product: String
    public var pendingProduct: String?
    /// End of access; when it is over, the instant at which it ended. Nil: without end, or never begun.
    public var accessUntil: Instant?
    /// Nil when the store has not said it: a transaction alone does not.
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

    /// When access will end by itself; nil when it will not, or has.
    public var endsAt: Instant? { isActive ? accessUntil : nil }
}

extension ContractState {
    /// `delivered` is not access: it was handed over once.
    public var givesAccess: Bool {
        switch self {
        case .active, .cancelled, .inGracePeriod, .owned: true
        case .pending, .inBillingRetry, .paused, .expired, .revoked, .delivered: false
        }
    }
}
