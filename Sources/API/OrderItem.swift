internal import Domain
internal import Ledger

/// An order as the API returns it. Absent values are `null`.
struct OrderItem: Encodable {
    private let record: OrderRecord

    init(_ record: OrderRecord) {
        self.record = record
    }

    private enum Key: String, CodingKey {
        case order, user, product, provider, group, kind, createdAt, state, purchases, quarantined
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        let order = record.order
        try container.encode(order.token.description, forKey: .order)
        try container.encode(order.user, forKey: .user)
        try container.encode(order.product, forKey: .product)
        try container.encode(order.provider?.rawValue, forKey: .provider)
        try container.encode(order.group, forKey: .group)
        try container.encode(order.kind?.rawValue, forKey: .kind)
        try container.encode(record.createdAt.iso8601, forKey: .createdAt)
        try container.encode(record.state.rawValue, forKey: .state)
        try container.encode(record.purchases.map(Purchase.init), forKey: .purchases)
        try container.encode(record.contradictions.map(Event.init), forKey: .quarantined)
    }

    private struct Event: Encodable {
        var event: String
        var cursor: String
        var at: String

        init(_ event: OrderEvent) {
            self.event = event.id
            cursor = event.cursor.description
            at = event.committedAt.iso8601
        }
    }

    private struct Purchase: Encodable {
        private let purchase: OrderPurchase

        init(_ purchase: OrderPurchase) {
            self.purchase = purchase
        }

        private enum Key: String, CodingKey {
            case provider, environment, app, contract, user, product, state, purchasedAt, event, cursor, at
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(purchase.contract.provider.rawValue, forKey: .provider)
            try container.encode(purchase.contract.environment.rawValue, forKey: .environment)
            try container.encode(purchase.contract.app, forKey: .app)
            try container.encode(purchase.contract.lineage, forKey: .contract)
            try container.encode(purchase.user, forKey: .user)
            try container.encode(purchase.product, forKey: .product)
            try container.encode(purchase.state.rawValue, forKey: .state)
            try container.encode(purchase.boughtAt.iso8601, forKey: .purchasedAt)
            try container.encode(purchase.event?.id, forKey: .event)
            try container.encode(purchase.event?.cursor.description, forKey: .cursor)
            try container.encode(purchase.event?.committedAt.iso8601, forKey: .at)
        }
    }
}
