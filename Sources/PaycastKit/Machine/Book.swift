internal import Foundation

/// An order that was handed to the store, kept because an approval may come days later, after many restarts.
struct PlacedOrder: Codable, Equatable, Sendable {
    var order: Order
    var product: String
    var placedAt: Date
    /// The store said that somebody has to approve it.
    var isPending = false
}

/// What has to survive the process, and neither store nor server can tell. The store keeps each transaction until it is
/// finished; that it is one user's, its token tells, if the order is here.
struct Book: Codable, Equatable, Sendable {
    static let capacity = 100
    /// A request that nobody approves lapses without a word; after this time a page stops to speak of it.
    static let pendingLife: TimeInterval = 3 * 86_400

    private(set) var orders: [PlacedOrder] = []
    /// Of unfinished transactions, by the store's id, as far as their tokens do not tell it.
    private(set) var memos: [UInt64: Memo] = [:]
    /// Until when the server wants no post at all.
    private(set) var gate: Backoff?

    subscript(token: UUID?) -> PlacedOrder? {
        token.flatMap { token in orders.last { $0.order.token == token } }
    }

    mutating func place(_ order: Order, product: String, at now: Date) {
        orders.removeAll { $0.order.token == order.token }
        orders.append(PlacedOrder(order: order, product: product, placedAt: now))
        orders = orders.suffix(Book.capacity)
    }

    mutating func setPending(_ isPending: Bool, token: UUID?) {
        guard let index = orders.lastIndex(where: { $0.order.token == token }) else { return }
        orders[index].isPending = isPending
    }

    /// The user's stream was signed anew: what the store brings late is posted with it.
    mutating func adopt(_ stream: SignedStream) {
        for index in orders.indices where orders[index].order.stream?.owner == stream.owner {
            orders[index].order.stream = stream
        }
    }

    /// False for a purchase whose order was placed elsewhere, if another user has placed orders here.
    func mayBelong(_ transaction: SignedTransaction, to stream: SignedStream) -> Bool {
        guard let token = transaction.token, self[token] == nil else { return true }
        return orders.allSatisfy { $0.order.stream.map { $0.owner == stream.owner } ?? true }
    }

    func pending(at now: Date) -> [PlacedOrder] {
        orders.filter { $0.isPending && now.timeIntervalSince($0.placedAt) < Book.pendingLife }
    }

    /// The wait that the server has asked for, of all posts, outlives the process; waits of our own end with it.
    mutating func note(_ deliveries: some Sequence<Delivery>, gate: Backoff) {
        for delivery in deliveries {
            let isTold = delivery.memo.owner == nil || self[delivery.transaction.token] != nil
            var memo = delivery.memo
            if !memo.backoff.isOrdered { memo.backoff.reset() }
            memos[delivery.id] = isTold && memo.isPlain ? nil : memo
        }
        self.gate = gate.isOrdered ? gate : nil
    }

    /// What the store has finished needs no memo.
    mutating func forgetMemos(but ids: Set<UInt64>) {
        memos = memos.filter { ids.contains($0.key) }
    }

    /// What could not be read when the process began, before what was written since.
    func after(_ earlier: Book) -> Book {
        var book = self
        book.orders = (earlier.orders.filter { self[$0.order.token] == nil } + orders).suffix(Book.capacity)
        book.memos.merge(earlier.memos) { new, _ in new }
        return book
    }
}

/// Whose an unfinished transaction is, and why it waits.
struct Memo: Codable, Equatable, Sendable {
    enum Condition: Codable, Equatable, Sendable {
        /// To be posted as soon as its back-off allows.
        case waiting
        /// Waits for a stream of its owner: none is known, or the server does not take the known one any more.
        case needsStream
        /// Waits for its owner to log in again.
        case loggedOut
        /// Waits for a restore: its order was placed elsewhere, and several users buy on this device. Posted for the one
        /// who happens to be logged in, it could move from its owner.
        case unknownOwner
        /// The server calls it not genuine. Tried again by another version of the app, or when the store signs it anew.
        case refused(appVersion: String, TransactionVersion)
    }

    /// The stream's owner, as soon as the user is known whose purchase it is.
    var owner: String?
    var stream: SignedStream?
    /// The user's order, for a transaction that carries no token of its own.
    var order: UUID?
    var condition = Condition.waiting
    var backoff = Backoff()

    /// Whether its order tells as much.
    var isPlain: Bool {
        switch condition {
        case .waiting, .needsStream, .unknownOwner: !backoff.isOrdered
        case .loggedOut, .refused: false
        }
    }

    /// Gives it the stream of the user who owns it, or who is the first to log in since it came without one.
    mutating func adopt(_ stream: SignedStream) {
        guard owner == nil || owner == stream.owner, condition != .unknownOwner else { return }
        let isNew = self.stream != stream
        owner = stream.owner
        self.stream = stream
        if condition == .loggedOut || (condition == .needsStream && isNew) { condition = .waiting }
    }

    /// Tries again what was refused, unless this app's version has been refused this very signing.
    mutating func appeal(_ version: TransactionVersion, appVersion: String) {
        guard case .refused(let judged, let signing) = condition, judged != appVersion || signing < version else {
            return
        }
        condition = stream == nil ? .needsStream : .waiting
    }
}
