internal import Foundation

/// An order that was handed to the store, kept because an approval may come days later, after many restarts.
struct PlacedOrder: Codable, Equatable, Sendable {
    var order: Order
    var product: String
    var placedAt: Date
    /// The store said that somebody has to approve it.
    var isPending = false
}

/// The last orders by token.
struct OrderBook: Equatable, Sendable {
    static let capacity = 100
    /// A request that nobody approves lapses without a word; after this time a page stops to speak of it.
    static let pendingLife: TimeInterval = 3 * 86_400

    private(set) var orders: [PlacedOrder] = []

    init(_ orders: [PlacedOrder] = []) {
        self.orders = orders.suffix(OrderBook.capacity)
    }

    subscript(token: UUID) -> PlacedOrder? {
        orders.last { $0.order.token == token }
    }

    mutating func place(_ order: Order, product: String, at now: Date) {
        orders.removeAll { $0.order.token == order.token }
        orders.append(PlacedOrder(order: order, product: product, placedAt: now))
        orders = orders.suffix(OrderBook.capacity)
    }

    /// Returns whether it changed anything.
    mutating func setPending(_ isPending: Bool, token: UUID) -> Bool {
        guard let index = orders.lastIndex(where: { $0.order.token == token }), orders[index].isPending != isPending
        else { return false }
        orders[index].isPending = isPending
        return true
    }

    /// The user's stream was signed anew: what the store brings late is posted with it.
    mutating func adopt(_ stream: SignedStream) -> Bool {
        let before = orders
        for index in orders.indices where orders[index].order.stream?.owner == stream.owner {
            orders[index].order.stream = stream
        }
        return orders != before
    }

    /// False for a purchase whose order was placed elsewhere, if another user has placed orders here.
    func mayBelong(_ transaction: SignedTransaction, to stream: SignedStream) -> Bool {
        guard let token = transaction.token, self[token] == nil else { return true }
        return orders.allSatisfy { $0.order.stream.map { $0.owner == stream.owner } ?? true }
    }

    func pending(at now: Date) -> [PlacedOrder] {
        orders.filter { $0.isPending && now.timeIntervalSince($0.placedAt) < OrderBook.pendingLife }
    }
}
