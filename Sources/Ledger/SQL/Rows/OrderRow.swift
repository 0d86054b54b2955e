import Domain
import Encoding

/// Converts between an order and its row.
enum OrderRow {
    static let columns = "token, user, product, provider, product_group, kind, trace, context"

    static func values(_ order: Order) -> [Value] {
        [
            .text(order.token.description), Value(order.user), .text(order.product), Value(order.provider),
            Value(order.group), Value(order.kind), Value(order.trace?.description),
            Value(OrderContextText.text(order.context)),
        ]
    }

    /// The columns that a repeated request may change, and the order's token.
    static func changedValues(_ order: Order) -> [Value] {
        [
            .text(order.product), Value(order.provider), Value(order.group), Value(order.kind),
            Value(order.trace?.description), Value(OrderContextText.text(order.context)),
            .text(order.token.description),
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
        order.context = OrderContextText.context(row.optionalText())
        return order
    }
}

/// What an app wants back with a purchase, as an order's row keeps it: JSON, or nothing for most.
enum OrderContextText {
    static func text(_ context: OrderContext) -> String? {
        guard !context.isEmpty else { return nil }
        let words = context.metadata.sorted { $0.key < $1.key }
            .map { "\(JSONLiteral.literal($0)):\(JSONLiteral.literal($1))" }.joined(separator: ",")
        let address = context.successURL.map { "\"success_url\":\(JSONLiteral.literal($0))," } ?? ""
        return "{\(address)\"metadata\":{\(words)}}"
    }

    static func context(_ text: String?) -> OrderContext {
        var context = OrderContext.none
        guard let node = text.flatMap({ JSONNode($0) }) else { return context }
        context.successURL = node["success_url"]?.text
        context.metadata = node["metadata"]?.texts ?? [:]
        return context
    }
}
