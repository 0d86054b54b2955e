/// One charge, as the store signed it. Its newest signed version counts.
public struct Transaction: Sendable, Equatable {
    public var id: String
    public var product: String
    public var purchasedAt: Instant
    public var expiresAt: Instant?
    public var revokedAt: Instant?
    /// Superseded by an upgrade.
    public var isUpgraded: Bool
    public var quantity: Int
    /// Thousandths of the currency's unit: 9990 is 9.99. Not for accounting.
    public var price: Int64?
    /// ISO 4217.
    public var currency: String?
    public var signedAt: Instant

    public init(
        id: String,
        product: String,
        purchasedAt: Instant,
        expiresAt: Instant? = nil,
        revokedAt: Instant? = nil,
        isUpgraded: Bool = false,
        quantity: Int = 1,
        price: Int64? = nil,
        currency: String? = nil,
        signedAt: Instant
    ) {
        self.id = id
        self.product = product
        self.purchasedAt = purchasedAt
        self.expiresAt = expiresAt
        self.revokedAt = revokedAt
        self.isUpgraded = isUpgraded
        self.quantity = quantity
        self.price = price
        self.currency = currency
        self.signedAt = signedAt
    }
}
