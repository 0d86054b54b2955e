internal import Foundation

/// An order that was handed to the store, kept because an approval may come days later, after many restarts.
struct PlacedOrder: Codable, Equatable, Sendable {
    var order: Order
    var product: String
    var placedAt: Date
    /// The store said that somebody has to approve it.
    var isPending = false

    func isSame(as other: PlacedOrder) -> Bool { order.token == other.order.token && product == other.product }
}

/// What has to survive the process, and neither store nor server can tell. The store keeps each transaction until it is
/// finished, and the server knows whose order its token is.
struct Book: Codable, Equatable, Sendable {
    static let capacity = 100
    /// A request that nobody approves lapses without a word; after this time a page stops to speak of it.
    static let pendingLife: TimeInterval = 3 * 86_400

    private(set) var orders: [PlacedOrder] = []
    /// Of unfinished transactions, by the store's id, as far as their orders do not tell it.
    private(set) var memos: [UInt64: Memo] = [:]
    /// Until when the server wants no post at all.
    private(set) var gate: Backoff?

    /// Of the same product, or else of what a change of product continues: one UUID may serve all that a user buys.
    func order(of transaction: SignedTransaction) -> PlacedOrder? {
        let own = orders.filter { $0.order.token == transaction.token }
        return own.last { $0.product == transaction.product } ?? own.last
    }

    mutating func place(_ order: Order, product: String, at now: Date) {
        let placed = PlacedOrder(order: order, product: product, placedAt: now)
        orders.removeAll { $0.isSame(as: placed) }
        orders.append(placed)
        orders = orders.suffix(Book.capacity)
    }

    mutating func setPending(_ isPending: Bool, token: UUID?, product: String) {
        let index = orders.lastIndex { $0.order.token == token && $0.product == product }
        if let index { orders[index].isPending = isPending }
    }

    /// The user's stream was signed anew: what the store brings late is posted with it.
    mutating func adopt(_ stream: SignedStream) {
        for index in orders.indices where orders[index].order.stream?.owner == stream.owner {
            orders[index].order.stream = stream
        }
    }

    func pending(at now: Date) -> [PlacedOrder] {
        orders.filter { $0.isPending && now.timeIntervalSince($0.placedAt) < Book.pendingLife }
    }

    /// The wait that the server has asked for, of all posts, outlives the process; waits of our own end with it.
    mutating func note(_ deliveries: some Sequence<Delivery>, gate: Backoff) {
        for delivery in deliveries {
            var memo = delivery.memo
            if !memo.backoff.isOrdered { memo.backoff.reset() }
            let isTold = memo.stream?.owner == order(of: delivery.transaction)?.order.stream?.owner
            memos[delivery.id] = isTold && memo.isPlain ? nil : memo
        }
        self.gate = gate.isOrdered ? gate : nil
    }

    /// What the server has needs none: from there on it knows whose it is. Nor does what the store has finished.
    mutating func forgetMemos(where isOver: (_ id: UInt64) -> Bool) {
        memos = memos.filter { !isOver($0.key) }
    }

    /// What could not be read when the process began, before what was written since.
    func after(_ earlier: Book) -> Book {
        var book = self
        book.orders = (earlier.orders.filter { old in !orders.contains { $0.isSame(as: old) } } + orders).suffix(
            Book.capacity
        )
        book.memos.merge(earlier.memos) { new, _ in new }
        return book
    }
}

/// For whom an unfinished transaction is posted, and how long it waits.
struct Memo: Codable, Equatable, Sendable {
    /// Of the order's user, or whose tap it was, or who was there when it came without a token. Nil for what any user's stream
    /// may bring: the server decides by the token.
    var stream: SignedStream?
    /// The user's order, for a transaction that carries no token of its own.
    var order: UUID?
    /// True if the stream's user tapped for it, else left out, as in the post: without it the server moves nothing.
    var asked: Bool?
    var backoff = Backoff()

    /// Whether there is nothing to remember but its user.
    var isPlain: Bool { asked == nil && order == nil && !backoff.isOrdered }

    /// The user's tap. What waits for another user is that one's first.
    mutating func claim(for stream: SignedStream) {
        guard self.stream == nil || self.stream?.owner == stream.owner else { return }
        (self.stream, asked) = (stream, true)
    }
}
