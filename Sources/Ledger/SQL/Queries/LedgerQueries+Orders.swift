public import Domain

/// An order and its outcome.
public struct OrderRecord: Sendable, Equatable {
    public enum State: String, Sendable {
        /// No purchase has carried its token yet.
        case open
        /// A purchase has carried it, and is not paid yet.
        case pending
        /// A purchase that matches the order has carried it.
        case fulfilled
        /// What was bought with it was taken back: refunded, or its payment never came.
        case refunded
        /// Only purchases that contradict the order have carried it.
        case quarantined
    }

    public var order: Order
    public var createdAt: Instant
    public var state: State
    /// The product that was bought with it last, which may be another than the order's; nil if nothing was yet.
    public var bought: String?
    /// Purchases that carried its token and match the order.
    public var purchases: [OrderPurchase]
    /// Events that carried its token and contradict the order: the newest ten, newest first.
    public var contradictions: [OrderEvent]
}

/// A purchase that carried an order's token.
public struct OrderPurchase: Sendable, Equatable {
    public var contract: ContractKey
    /// The current owner: the purchase may have gone to somebody else since.
    public var user: UserID?
    public var product: String
    public var state: ContractState
    /// True when it ended before it was paid.
    var isUnpaid: Bool
    /// The product of its first event with the token; nil if that is not among the contract's first hundred.
    var boughtProduct: String?
    /// The date of the first charge that carried the token.
    public var boughtAt: Instant
    /// The first event that carried it, among the contract's first hundred.
    public var event: OrderEvent?
}

public struct OrderEvent: Sendable, Equatable {
    /// The store's id.
    public var id: String
    public var cursor: Cursor
    public var committedAt: Instant
}

extension LedgerQueries {
    /// The number of purchases shown for one token; an app may bind one token to everything that a user buys.
    private static let purchaseLimit: Int64 = 100
    private static let contradictionLimit: Int64 = 10

    /// The order is nil for a token that no order has; the cursor is the newest position.
    public func order(_ token: OrderToken) throws(EngineError) -> (order: OrderRecord?, head: Cursor) {
        let head = try head()
        guard let found = try datedOrder(token) else { return (nil, head) }
        return (try record(of: found, now: now), head)
    }

    func datedOrder(_ token: OrderToken) throws(EngineError) -> (order: Order, createdAt: Instant)? {
        try sql("SELECT \(OrderRow.columns), created_at FROM orders WHERE token = ?")
            .first([.text(token.description)], read: OrderRow.readDated)
    }

    /// Newest first.
    func datedOrders(of user: UserID, limit: Int) throws(EngineError) -> [(order: Order, createdAt: Instant)] {
        try sql(
            """
            SELECT \(OrderRow.columns), created_at FROM orders WHERE user = ?
            ORDER BY created_at DESC, token DESC LIMIT ?
            """
        ).all([Value(user), .integer(Int64(limit))], read: OrderRow.readDated)
    }

    func orders(of user: UserID, limit: Int, now: Instant) throws(EngineError) -> [OrderRecord] {
        try datedOrders(of: user, limit: limit).map { found throws(EngineError) in try record(of: found, now: now) }
    }

    private func record(
        of found: (order: Order, createdAt: Instant),
        now: Instant
    ) throws(EngineError) -> OrderRecord {
        let token: Value = .text(found.order.token.description)
        var purchases: [OrderPurchase] = []
        let bought = try sql.contracts(
            where: "id IN (SELECT contract FROM tokens WHERE token = ?) ORDER BY id LIMIT ?",
            [token, .integer(LedgerQueries.purchaseLimit)]
        )
        for row in bought where !found.order.contradicts(row.tracked.contract) {
            purchases.append(try purchase(row, by: found.order.token, now: now))
        }
        let contradictions = try contradictions(of: found.order.token)
        let isUnfit = !contradictions.isEmpty || !bought.isEmpty
        let newest = purchases.max { $0.boughtAt < $1.boughtAt }
        return OrderRecord(
            order: found.order,
            createdAt: found.createdAt,
            state: OrderRecord.State(purchases) ?? (isUnfit ? .quarantined : .open),
            bought: newest.map { $0.boughtProduct ?? $0.product },
            purchases: purchases,
            contradictions: contradictions
        )
    }

    private func purchase(_ row: ContractRow, by token: OrderToken, now: Instant) throws(EngineError) -> OrderPurchase {
        var tracked = row.tracked
        tracked.recomputeStatus(at: now, policy: policy)
        let id = Value(row.id)
        let first = try sql(
            """
            SELECT entries.position, \(EntryRow.qualifiedColumns)
            FROM events JOIN entries ON entries.position = events.position
            WHERE events.contract = ? ORDER BY events.position LIMIT ?
            """
        ).all([id, .integer(100)], read: EntryRow.read).first { $0.notice.order == token }
        return OrderPurchase(
            contract: tracked.key,
            user: tracked.user,
            product: tracked.status.product,
            state: tracked.status.state,
            isUnpaid: tracked.status.state == .expired && !tracked.contract.hasBegun,
            boughtProduct: first?.notice.product,
            boughtAt: try sql("SELECT at FROM tokens WHERE contract = ? AND token = ?")
                .first([id, .text(token.description)]) { $0.instant() } ?? now,
            event: first.flatMap { OrderEvent($0, epoch: epoch) }
        )
    }

    /// Events that wait for an owner carried the token as well, but contradict nothing, so they are left out.
    private func contradictions(of token: OrderToken) throws(EngineError) -> [OrderEvent] {
        var events: [OrderEvent] = []
        for position in try unowned(by: token, [.integer(.max), .integer(LedgerQueries.contradictionLimit)]) {
            guard let entry = try entry(at: position), entry.notice.outcome == .quarantined,
                let event = OrderEvent(entry, epoch: epoch)
            else { continue }
            events.append(event)
        }
        return events
    }

    /// The positions of events that carried a token and are about nobody, newest first. `range` is what they are before, and
    /// how many.
    func unowned(by token: OrderToken, _ range: [Value]) throws(EngineError) -> [Int64] {
        try sql(
            """
            SELECT position FROM entries
            WHERE order_token = ? AND user IS NULL AND position < ? ORDER BY position DESC LIMIT ?
            """
        ).all([.text(token.description)] + range) { row in row.integer() }
    }
}

extension OrderRecord.State {
    /// By what was bought with the order; nil if nothing was. One purchase that is paid and not taken back is enough.
    init?(_ purchases: [OrderPurchase]) {
        guard !purchases.isEmpty else { return nil }
        let kept = purchases.filter { $0.state != .revoked && !$0.isUnpaid }
        self = kept.isEmpty ? .refunded : kept.allSatisfy { $0.state == .pending } ? .pending : .fulfilled
    }
}

extension OrderEvent {
    /// Nil for an entry that no store's event caused.
    fileprivate init?(_ entry: Entry, epoch: String) {
        guard let id = entry.notice.event else { return nil }
        self.init(id: id, cursor: Cursor(epoch: epoch, position: entry.position), committedAt: entry.committedAt)
    }
}
