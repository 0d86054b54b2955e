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
    static func readDated(_ row: Row) throws(EngineError) -> DatedOrder {
        var reader = RowReader(row)
        return DatedOrder(order: try read(&reader), createdAt: reader.instant())
    }

    static func read(_ row: Row) throws(EngineError) -> Order {
        var reader = RowReader(row)
        return try read(&reader)
    }

    private static func read(_ reader: inout RowReader) throws(EngineError) -> Order {
        let token = try reader.parsed { OrderToken($0) }
        var order = Order(token: token, user: reader.user(), product: reader.text())
        order.provider = try reader.optionalWord()
        order.group = reader.optionalText()
        order.kind = try reader.optionalWord()
        order.trace = reader.optionalText().flatMap { TraceID($0) }
        return order
    }
}

struct DatedOrder {
    var order: Order
    var createdAt: Instant
}
