/// One contract as the API reports it: what a user holds, or held.
public struct Entitlement: Sendable, Equatable {
    public var product: String
    public var group: String?
    public var state: ContractState
    public var isActive: Bool
    public var accessUntil: Instant?
    public var autoRenew: Bool?
    public var pendingProduct: String?
    public var provider: Provider
    public var environment: StoreEnvironment
    /// The store's lineage id.
    public var contract: String
    public var isFamilyShared: Bool
    /// How many of a consumable were handed over; nil for everything else.
    public var quantity: Int?

    public init(
        product: String,
        group: String?,
        state: ContractState,
        isActive: Bool,
        accessUntil: Instant?,
        autoRenew: Bool?,
        pendingProduct: String?,
        provider: Provider,
        environment: StoreEnvironment,
        contract: String,
        isFamilyShared: Bool,
        quantity: Int? = nil
    ) {
        self.product = product
        self.group = group
        self.state = state
        self.isActive = isActive
        self.accessUntil = accessUntil
        self.autoRenew = autoRenew
        self.pendingProduct = pendingProduct
        self.provider = provider
        self.environment = environment
        self.contract = contract
        self.isFamilyShared = isFamilyShared
        self.quantity = quantity
    }
}
