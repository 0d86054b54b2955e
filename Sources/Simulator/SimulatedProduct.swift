public import Domain

/// Something that the simulated store sells.
public struct SimulatedProduct: Sendable, Equatable {
    public var id: String
    public var name: String
    public var kind: ProductKind
    /// `subscriptionGroupIdentifier`; nil for a one-time purchase.
    public var group: String?
    /// In thousandths of the currency's unit.
    public var price: Int64
    public var currency = "USD"
    /// The length of one period; zero for a one-time purchase.
    public var period: Duration

    public static let monthly = SimulatedProduct(
        id: "paycast.pro.monthly",
        name: "Pro, monthly",
        kind: .subscription,
        group: "21580001",
        price: 9990,
        period: .days(30)
    )
    public static let annual = SimulatedProduct(
        id: "paycast.pro.annual",
        name: "Pro, annual",
        kind: .subscription,
        group: "21580001",
        price: 79_990,
        period: .days(365)
    )

    /// The length of a free trial.
    public static let trial = Duration.days(7)

    /// The products on the demo's paywall, by rising price: an upgrade moves toward the end, a downgrade toward the
    /// start.
    public static let catalog = [monthly, annual]

    /// What the demo sells beside its plans: one that stays, and one that is used up.
    public static let extras = [
        SimulatedProduct(
            id: "paycast.maps",
            name: "Private maps",
            kind: .nonConsumable,
            group: nil,
            price: 4990,
            period: .zero
        ),
        SimulatedProduct(
            id: "paycast.prints",
            name: "Ten prints",
            kind: .consumable,
            group: nil,
            price: 9990,
            period: .zero
        ),
    ]
}

extension SimulatedProduct {
    /// The product in the catalog, or a made-up one for any other id: a monthly plan, or a one-time purchase, at the
    /// monthly price.
    public init(id: String, kind: ProductKind) {
        if let known = (SimulatedProduct.catalog + SimulatedProduct.extras).first(where: { $0.id == id }),
            known.kind == kind
        {
            self = known
            return
        }
        let isSubscription = kind == .subscription
        let group = isSubscription ? SimulatedProduct.monthly.group : nil
        let period = isSubscription ? Duration.days(30) : .zero
        self.init(id: id, name: id, kind: kind, group: group, price: 9990, period: period)
    }

    /// The other product in the catalog.
    var other: String { SimulatedProduct.catalog.first { $0.id != id }?.id ?? id }

    /// The other product in the catalog, or a made-up one.
    static func neighbour(of product: String, _ step: LifecycleStep) -> String {
        let others = SimulatedProduct.catalog.filter { $0.id != product }
        let isListed = others.count < SimulatedProduct.catalog.count
        return isListed ? others[0].id : product + (step == .upgrade ? ".plus" : ".basic")
    }

    var appleType: String {
        switch kind {
        case .subscription: "Auto-Renewable Subscription"
        case .nonRenewing: "Non-Renewing Subscription"
        case .nonConsumable: "Non-Consumable"
        case .consumable: "Consumable"
        }
    }
}

extension Duration {
    public static func days(_ count: Int) -> Duration { .seconds(count * 86_400) }
}
