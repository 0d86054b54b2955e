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
