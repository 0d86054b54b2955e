internal import Domain

/// A one-time purchase, as its refunds and disputes identify it.
struct StripePayment {
    var id: String
    /// Nil when they do not name it: then the purchase itself does.
    var product: String?
    private let catalog: Catalog

    init(id: String, product: String?, catalog: Catalog) {
        self.id = id
        self.product = product
        self.catalog = catalog
    }

    /// Leaves the customer out: charges of subscriptions look the same, and must not become that customer's purchases.
    func observation(_ key: ContractKey, token: OrderToken?, state: ContractState? = nil, at date: Instant? = nil)
        -> Observation
    {
        var observation = Observation(contract: key, kind: catalog.kind(bought: product), token: token)
        if let state, let date { observation.snapshot = .of(state, product: product ?? "", at: date) }
        return observation
    }
}

extension Snapshot {
    /// The state of a one-time purchase. If it is revoked, access ended at `date`.
    static func of(_ state: ContractState, product: String, at date: Instant) -> Snapshot {
        Snapshot(
            state: state,
            product: product,
            autoRenew: false,
            accessUntil: state == .revoked ? date : nil,
            signedAt: date
        )
    }
}

extension Catalog {
    /// The kind of a product that is bought once: Stripe does not know kinds. By default, it stays forever.
    func kind(bought product: String?) -> ProductKind {
        guard let kind = product.flatMap({ self[$0]?.kind }), kind != .subscription else { return .nonConsumable }
        return kind
    }
}
