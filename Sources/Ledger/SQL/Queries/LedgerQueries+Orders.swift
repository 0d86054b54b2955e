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
    public var isUnpaid: Bool
    /// The product of its first event with the token; nil if that is not among the contract's first hundred.
    public var boughtProduct: String?
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

struct OrderSQL {
    let contradictingBefore, newestOrders, orderByToken, contractsByToken, tokenDate, firstEvents: Statement

    init(_ connection: any LedgerConnection) throws(EngineError) {
        contradictingBefore = try connection.prepare(
            """
            SELECT position FROM entries
            WHERE order_token = ? AND user IS NULL AND position < ? ORDER BY position DESC LIMIT ?
            """
        )
        newestOrders = try connection.prepare(
            """
            SELECT \(OrderRow.columns), created_at FROM orders WHERE user = ?
            ORDER BY created_at DESC, token DESC LIMIT ?
            """
        )
        orderByToken = try connection.prepare("SELECT \(OrderRow.columns), created_at FROM orders WHERE token = ?")
        contractsByToken = try connection.contracts(
            where: "id IN (SELECT contract FROM tokens WHERE token = ?) ORDER BY id LIMIT ?"
        )
        tokenDate = try connection.prepare("SELECT at FROM tokens WHERE contract = ? AND token = ?")
        firstEvents = try connection.prepare(
            """
            SELECT entries.position, \(EntryRow.qualifiedColumns)
            FROM events JOIN entries ON entries.position = events.position
            WHERE events.contract = ? ORDER BY events.position LIMIT ?
            """
        )
    }
}

extension LedgerQueries {
    /// The number of purchases shown for one token; an app may bind one token to everything that a user buys.
    private static let purchaseLimit: Int64 = 100
    private static let contradictionLimit: Int64 = 10

    /// The order is nil for a token that no order has; the cursor is the newest position.
    public func order(_ token: OrderToken) throws(EngineError) -> (order: OrderRecord?, head: Cursor) {
        let head = try head()
        let found = try orderSQL.orderByToken.first([.text(token.description)], read: OrderRow.readDated)
        guard let found else { return (nil, head) }
        return (try record(of: found, now: now), head)
    }

    func orders(of user: UserID, limit: Int, now: Instant) throws(EngineError) -> [OrderRecord] {
        let newest: [Value] = [Value(user), .integer(Int64(limit))]
        var records: [OrderRecord] = []
        for found in try orderSQL.newestOrders.all(newest, read: OrderRow.readDated) {
            records.append(try record(of: found, now: now))
        }
        return records
    }

    private func record(
        of found: (order: Order, createdAt: Instant),
        now: Instant
    ) throws(EngineError) -> OrderRecord {
        let token: Value = .text(found.order.token.description)
        var purchases: [OrderPurchase] = []
        let bought = try orderSQL.contractsByToken.all(
            [token, .integer(LedgerQueries.purchaseLimit)],
            read: ContractRow.read
        )
        for row in bought where !found.order.contradicts(row.tracked.contract) {
            purchases.append(try purchase(row, by: found.order.token, now: now))
        }
        let contradictions = try contradictions(of: token)
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
        let first = try orderSQL.firstEvents.all([id, .integer(100)], read: EntryRow.read)
            .first { $0.notice.order == token }
        return OrderPurchase(
            contract: tracked.key,
            user: tracked.user,
            product: tracked.status.product,
            state: tracked.status.state,
            isUnpaid: tracked.status.state == .expired && !tracked.contract.hasBegun,
            boughtProduct: first?.notice.product,
            boughtAt: try orderSQL.tokenDate.first([id, .text(token.description)]) { $0.instant() } ?? now,
            event: first.flatMap { OrderEvent($0, epoch: epoch) }
        )
    }

    /// Events that wait for an owner carried the token as well, but contradict nothing, so they are left out.
    private func contradictions(of token: Value) throws(EngineError) -> [OrderEvent] {
        let newest: [Value] = [token, .integer(.max), .integer(LedgerQueries.contradictionLimit)]
        var events: [OrderEvent] = []
        for position in try orderSQL.contradictingBefore.all(newest, read: { $0.integer() }) {
            let entry = try userEventSQL.entryAt.first([.integer(position)], read: EntryRow.read)
            guard let entry, entry.notice.outcome == .quarantined, let event = OrderEvent(entry, epoch: epoch) else {
                continue
            }
            events.append(event)
        }
        return events
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
