public import Domain

/// How a store finds a purchase by what a customer has in hand: the number on a receipt, an e-mail address.
public struct PurchaseLookup: Sendable {
    /// A person waits for the answer.
    static let patience = Duration.seconds(4)

    /// The variable with the key that may ask.
    public var key: String
    /// What a name is by its form, as it stands in a sentence: “an order ID”. Nil for what this store cannot look up.
    public var kind: @Sendable (_ name: String) -> String?
    /// Whether hardly anything else has such a name: then a person is told so even where the store is not served.
    public var isTypical: @Sendable (_ name: String) -> Bool

    init(
        key: String,
        isTypical: @escaping @Sendable (_ name: String) -> Bool = { _ in false },
        kind: @escaping @Sendable (_ name: String) -> String?
    ) {
        self.key = key
        self.isTypical = isTypical
        self.kind = kind
    }
}

/// A purchase, or a buyer, as a store has found it.
public struct FoundPurchase: Sendable, Equatable {
    /// By which the ledger knows it: a contract's lineage id, or the buyer's name at the store.
    public var name: String
    /// Nil for a buyer.
    public var environment: StoreEnvironment?
    public var product: String?
    /// The charge that was looked up.
    public var charge: String?
    public var boughtAt: Instant?
    public var revokedAt: Instant?
    /// In thousandths of the currency's unit.
    public var price: Int64?
    public var currency: String?

    init(name: String) {
        self.name = name
    }
}

extension FoundPurchase {
    /// What a store has signed; nil for what names no purchase.
    init?(_ event: Event) {
        guard let observation = event.observation else { return nil }
        self.init(name: observation.contract.lineage)
        let charge = observation.transaction
        environment = event.environment
        product = charge?.product ?? observation.snapshot?.product
        self.charge = charge?.id
        (boughtAt, revokedAt) = (charge?.purchasedAt, charge?.revokedAt)
        (price, currency) = (charge?.price, charge?.currency)
    }
}
