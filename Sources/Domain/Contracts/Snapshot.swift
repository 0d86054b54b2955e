/// A store's own statement of a subscription's status at one instant. The newest one decides the state.
public struct Snapshot: Sendable, Equatable {
    public var state: ContractState
    public var product: String
    /// The product that the next renewal switches to; nil when it stays.
    public var pendingProduct: String?
    public var autoRenew: Bool
    /// End of the paid period, or of the grace period when the state is `inGracePeriod`.
    public var accessUntil: Instant?
    /// The ordering key: the inner signed date, or the outer one where there is no inner one.
    public var signedAt: Instant
    /// True when the subscription pauses at the end of the period. Only the event's name says so (Google's type 11,
    /// RevenueCat's SUBSCRIPTION_PAUSED).
    public var isPausing: Bool

    public init(
        state: ContractState,
        product: String,
        pendingProduct: String? = nil,
        autoRenew: Bool,
        accessUntil: Instant?,
        signedAt: Instant,
        isPausing: Bool = false
    ) {
        self.state = state
        self.product = product
        self.pendingProduct = pendingProduct
        self.autoRenew = autoRenew
        self.accessUntil = accessUntil
        self.signedAt = signedAt
        self.isPausing = isPausing
    }
}
