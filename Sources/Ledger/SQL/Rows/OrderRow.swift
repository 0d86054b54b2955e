import Domain

/// Converts between an order and its row.
enum OrderRow {
    static let columns = "token, user, product, provider, product_group, kind, trace"

    static func values(_ order: Order) -> [Value] {
        [
            .text(order.token.description), Value(order.user), .text(order.product), Value(order.provider),
            Value(order.group), Value(order.kind), Value(order.trace?.description),
        ]
    }

    /// The columns that a repeated request may change, and the order's token.
    static func changedValues(_ order: Order) -> [Value] {
        [
            .text(order.product), Value(order.provider), Value(order.group), Value(order.kind),
            Value(order.trace?.description), .text(order.token.description),
        ]
    }

    /// Reads `columns`, and `created_at` after them.
    static func readDated(_ row: inout Row) throws(EngineError) -> (order: Order, createdAt: Instant) {
        (try read(&row), row.instant())
    }

    static func read(_ row: inout Row) throws(EngineError) -> Order {
        let token = try row.parsed { OrderToken($0) }
        var order = Order(token: token, user: row.user(), product: row.text())
        order.provider = try row.optionalWord()
        order.group = row.optionalText()
        order.kind = try row.optionalWord()
        order.trace = row.optionalText().flatMap { TraceID($0) }
        return order
    }
}
