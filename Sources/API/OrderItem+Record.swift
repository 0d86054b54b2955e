internal import APIModel
internal import LedgerInterface

extension OrderItem {
    init(_ record: OrderRecord) {
        self.init(
            record.order,
            createdAt: record.createdAt,
            state: record.state.rawValue,
            purchases: record.purchases.map(OrderPurchaseItem.init),
            quarantined: record.contradictions.map(OrderEventItem.init)
        )
    }
}

extension OrderPurchaseItem {
    fileprivate init(_ purchase: OrderPurchase) {
        self.init(
            purchase.contract,
            user: purchase.user,
            product: purchase.product,
            state: purchase.state,
            purchasedAt: purchase.boughtAt,
            event: purchase.event.map(OrderEventItem.init)
        )
    }
}

extension OrderEventItem {
    fileprivate init(_ event: OrderEvent) {
        self.init(event: event.id, cursor: event.cursor, at: event.committedAt)
    }
}
