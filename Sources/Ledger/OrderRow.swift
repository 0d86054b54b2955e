internal import Domain

/// Converts between an order and its row.
enum OrderRow {
    static let columns = "token, user, product, provider, product_group, kind"

    /// The index of the first column that is selected after these.
    static let count = Int32(columns.split(separator: ",").count)

    static func values(_ order: Order) -> [Value] {
        [
            .text(order.token.description), Value(order.user), .text(order.product), Value(order.provider),
            Value(order.group), Value(order.kind),
        ]
    }

    /// Reads `columns`, and `created_at` after them.
    static func readDated(_ row: Row) throws(SQLiteError) -> DatedOrder {
        DatedOrder(order: try read(row), createdAt: row.instant(count))
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

struct DatedOrder {
    var order: Order
    var createdAt: Instant
}
