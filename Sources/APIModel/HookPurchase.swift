public import Domain

/// The consumable that a message of `purchase.delivered` or `purchase.revoked` is about. A member is left out if the store has
/// not said it.
public struct HookPurchase: Codable, Sendable, Equatable {
    /// The store that sold it; behind a service, that service unless it says the store.
    public var store: String
    /// Who told Paycast of it.
    public var provider: String
    /// `Production` or `Sandbox`; in development also `Xcode`.
    public var environment: String
    /// The charge by the store's id: the same in every message about this purchase, and in no other.
    public var transaction: String
    /// The product by the store's id.
    public var product: String
    public var quantity: Int
    /// What was charged, in thousandths of the currency's unit: 9990 is 9.99.
    public var price: Int?
    /// ISO 4217.
    public var currency: String?
    /// The token of the order that it was bought with.
    public var order: String?
    /// The store's lineage id.
    public var contract: String
    /// ISO 8601, UTC.
    public var purchasedAt: String?
    /// The date of the store's statement, in milliseconds. It grows with every change of this purchase, and a message that is sent
    /// again has the one that it had.
    public var version: Int

    /// `statedAt` is the date of the statement that the message tells of.
    public init(_ contract: Contract, statedAt: Instant) {
        let charge = contract.transaction?.transaction
        store = contract.store ?? contract.key.provider.rawValue
        provider = contract.key.provider.rawValue
        environment = contract.key.environment.rawValue
        transaction = charge?.id ?? contract.key.lineage
        product = charge?.product ?? contract.snapshot?.snapshot.product ?? ""
        quantity = charge?.quantity ?? 1
        price = charge?.price.map { Int($0) }
        currency = charge?.currency
        order = contract.token?.value.description
        self.contract = contract.key.lineage
        purchasedAt = charge?.purchasedAt.iso8601
        version = Int(statedAt.milliseconds)
    }

    func write(to writer: inout ObjectWriter) {
        writer.text("contract", contract)
        writer.text("currency", ifAny: currency)
        writer.text("environment", environment)
        writer.text("order", ifAny: order)
        writer.number("price", ifAny: price)
        writer.text("product", product)
        writer.text("provider", provider)
        writer.text("purchased_at", ifAny: purchasedAt)
        writer.number("quantity", ifAny: quantity)
        writer.text("store", store)
        writer.text("transaction", transaction)
        writer.number("version", ifAny: version)
    }
}
