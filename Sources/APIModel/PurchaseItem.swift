public import Domain

/// A charge, in `GET /users/{user}/purchases` and in messages about purchases. A member is left out if the store has not said it,
/// and what only messages about charges know, if it is about a consumable that was handed out or taken back.
public struct PurchaseItem: Codable, Sendable, Equatable {
    /// Whose it is. Only in lists of the charges of all.
    public var user: UserID?
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
    /// A `ProductKind`.
    public var kind: String?
    public var quantity: Int
    /// What was charged, in thousandths of the currency's unit: 9990 is 9.99.
    public var price: Int?
    /// ISO 4217.
    public var currency: String?
    /// The part of the price that is tax.
    public var tax: Int?
    /// Whether it was charged nothing for a free trial.
    public var trial: Bool?
    /// The offer with which it was bought, in the store's words.
    public var offer: String?
    /// The token of the order that it was bought with.
    public var order: String?
    /// The store's lineage id: Apple's original transaction id, Google's purchase token, Stripe's subscription.
    public var contract: String
    /// ISO 8601, UTC.
    public var purchasedAt: String?
    /// The end of the period that it paid for.
    public var expiresAt: String?
    /// When it was given back, or a part of it; left out if it was not.
    public var refundedAt: String?
    /// How much of it was given back.
    public var refunded: Int?
    /// Only in messages: it grows with every change of this purchase, and a message that is sent again has the one that it had. Of a
    /// consumable it is the date of the store's statement, of a charge that of the commit, in milliseconds. Two changes may share one.
    public var version: Int?

    /// Of a consumable. `statedAt` is the date of the statement that the message tells of.
    public init(_ contract: Contract, statedAt: Instant) {
        let charge = contract.transaction?.transaction
        self.init(contract.key, store: contract.store, charge: charge?.id ?? contract.key.lineage)
        product = charge?.product ?? contract.snapshot?.snapshot.product ?? ""
        quantity = charge?.quantity ?? 1
        price = charge?.price.map { Int($0) }
        currency = charge?.currency
        order = contract.token?.value.description
        purchasedAt = charge?.purchasedAt.iso8601
        version = Int(statedAt.milliseconds)
    }

    public init(_ charge: Charge, of key: ContractKey, kind: ProductKind, store: String?) {
        self.init(key, store: store, charge: charge.id)
        self.kind = kind.rawValue
        refundedAt = charge.refundedAt?.iso8601
        refunded = charge.refunded.map { Int($0) }
        guard let terms = charge.terms else { return }
        product = terms.product
        quantity = terms.quantity
        price = terms.price.map { Int($0) }
        currency = terms.currency
        tax = terms.tax.map { Int($0) }
        trial = terms.isTrial
        offer = terms.offer
        order = terms.order?.description
        purchasedAt = terms.purchasedAt.iso8601
        expiresAt = terms.expiresAt?.iso8601
    }

    private init(_ key: ContractKey, store: String?, charge: String) {
        self.store = store ?? key.provider.rawValue
        provider = key.provider.rawValue
        environment = key.environment.rawValue
        transaction = charge
        product = ""
        quantity = 1
        contract = key.lineage
    }

    func write(to writer: inout ObjectWriter) {
        writer.text("contract", contract)
        writer.text("currency", ifAny: currency)
        writer.text("environment", environment)
        writer.text("expires_at", ifAny: expiresAt)
        writer.text("kind", ifAny: kind)
        writer.text("offer", ifAny: offer)
        writer.text("order", ifAny: order)
        writer.number("price", ifAny: price)
        writer.text("product", product)
        writer.text("provider", provider)
        writer.text("purchased_at", ifAny: purchasedAt)
        writer.number("quantity", ifAny: quantity)
        writer.number("refunded", ifAny: refunded)
        writer.text("refunded_at", ifAny: refundedAt)
        writer.text("store", store)
        writer.number("tax", ifAny: tax)
        writer.text("transaction", transaction)
        if let trial { writer.flag("trial", trial) }
        writer.text("user", ifAny: user?.text)
        writer.number("version", ifAny: version)
    }
}
