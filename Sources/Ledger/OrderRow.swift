internal import Domain

/// Between an order and its row.
enum OrderRow {
    static let columns = "token, user, product, provider, product_group, kind"

    static func values(_ order: Order) -> [Value] {
        [
            .text(order.token.description), Value(order.user), .text(order.product), Value(order.provider),
            Value(order.group), Value(order.kind),
        ]
    }

    static func read(_ row: Row) throws(SQLiteError) -> Order {
        guard let token = OrderToken(row.text(0)) else { throw row.unreadable(0) }
        return Order(
            token: token,
            user: row.user(1),
            product: row.text(2),
            provider: try row.optionalWord(3),
            group: row.optionalText(4),
            kind: try row.optionalWord(5)
        )
    }
}
