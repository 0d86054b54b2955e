internal import Domain

/// A one-time purchase as its refunds and disputes name it.
struct StripePayment {
    var id: String
    /// Nil when nothing names it: the purchase itself does.
    var product: String?
    private let catalog: Catalog

    init(id: String, product: String?, _ catalog: Catalog) {
        self.id = id
        self.product = product
        self.catalog = catalog
    }

    /// Without the customer: the charges of subscriptions look the same, and must not become purchases of that customer.
    func observation(_ key: ContractKey, token: OrderToken?, _ state: ContractState? = nil, at date: Instant? = nil)
        -> Observation
    {
        var observation = Observation(contract: key, kind: catalog.kind(bought: product), token: token)
        if let state, let date { observation.snapshot = .of(state, product ?? "", at: date) }
        return observation
    }
}

extension Snapshot {
    /// What is said of a one-time purchase. Access that was taken back ended then.
    static func of(_ state: ContractState, _ product: String, at date: Instant) -> Snapshot {
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
    /// What kind of thing is bought once: Stripe does not know kinds. What the catalogue leaves open stays for ever.
    func kind(bought product: String?) -> ProductKind {
        guard let kind = product.flatMap({ self[$0]?.kind }), kind != .subscription else { return .nonConsumable }
        return kind
    }
}
