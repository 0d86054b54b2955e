public import Domain

/// One page of what is known about a user's purchases, newest first.
public struct UserEvents: Sendable, Equatable {
    public var events: [UserEvent]
    /// The cursor of the next page, which holds everything before it; nil on the last page.
    public var next: Cursor?
    /// The ledger's newest position when the page was read.
    public var head: Cursor
}

public struct UserEvent: Sendable, Equatable {
    public var entry: Entry
    /// The dates in a store's event; nil for an entry that the ledger committed by itself.
    public var dates: EventDates?
    /// The body that the store sent, if it was asked for and is kept.
    public var body: [UInt8]?
}

public struct EventDates: Sendable, Equatable {
    /// By the store's own date.
    public var occurredAt: Instant
    public var receivedAt: Instant
}

extension LedgerQueries {
    /// The number of contracts, and of orders, that are searched for events from before they were the user's.
    private static let relationLimit = 1000

    /// Events about the user, events about the user's contracts and orders from before their user was known, and
    /// changes to the user's pages, such as a purchase that went to somebody else. Contracts that others share with the
    /// user count as the user's.
    ///
    /// At most `limit` events, newest first, all of them before `position`; without a position, from the newest on.
    /// `stream` is what the user's pages follow.
    public func userEvents(
        of user: UserID,
        shownOn stream: StreamName?,
        before position: Int64? = nil,
        limit: Int,
        withBodies: Bool = false
    ) throws(EngineError) -> UserEvents {
        let head = try head()
        var newest = NewestPositions(limit: limit)
        let range: [Value] = [.integer(position ?? .max), .integer(Int64(limit) + 1)]
        newest.add(try entries(of: user, range))
        for contract in try contractNames(of: user) { newest.add(try unclaimed(contract, range)) }
        for found in try datedOrders(of: user, limit: LedgerQueries.relationLimit) {
            newest.add(try unowned(by: found.order.token, range))
        }
        for target in PageTarget.allCases {
            guard let stream else { break }
            newest.add(try fragments(on: stream, of: target, range))
        }
        var events: [UserEvent] = []
        for position in newest.page {
            guard var event = try userEvent(at: position) else { continue }
            if withBodies, event.isOnly(about: user) {
                event.body = try sql("SELECT \(StoredBody.columns) FROM events WHERE position = ? AND length(body) > 0")
                    .first([.integer(position)]) { row throws(EngineError) in try row.body() ?? [] }
            }
            events.append(event)
        }
        let next = newest.hasMore ? newest.page.last.map { Cursor(epoch: epoch, position: $0) } : nil
        return UserEvents(events: events, next: next, head: head)
    }

    func userEvent(at position: Int64) throws(EngineError) -> UserEvent? {
        guard var entry = try entry(at: position) else { return nil }
        entry.fragments = try fragments(at: position)
        let dates = try sql("SELECT signed_at, received_at FROM events WHERE position = ?")
            .first([.integer(position)]) { EventDates(occurredAt: $0.instant(), receivedAt: $0.instant()) }
        return UserEvent(entry: entry, dates: dates)
    }

    /// Without its fragments.
    func entry(at position: Int64) throws(EngineError) -> Entry? {
        try sql.entries(where: "position = ?", [.integer(position)]).first
    }
}

/// Positions, newest first. `range` is what they are before, and how many.
extension LedgerQueries {
    func entries(of user: UserID, _ range: [Value]) throws(EngineError) -> [Int64] {
        try sql("SELECT position FROM entries WHERE user = ? AND position < ? ORDER BY position DESC LIMIT ?")
            .all([Value(user)] + range) { row in row.integer() }
    }

    /// Of entries about a contract, from before it had a user.
    private func unclaimed(_ contract: [Value], _ range: [Value]) throws(EngineError) -> [Int64] {
        try sql(
            """
            SELECT position FROM entries
            WHERE contract = ? AND provider = ? AND environment = ? AND user IS NULL AND position < ?
            ORDER BY position DESC LIMIT ?
            """
        ).all(contract + range) { row in row.integer() }
    }

    /// Of fragments that changed an element of a user's pages.
    private func fragments(
        on stream: StreamName,
        of target: PageTarget,
        _ range: [Value]
    ) throws(EngineError) -> [Int64] {
        try sql(
            """
            SELECT position FROM fragments
            WHERE stream = ? AND collapse_key = ? AND position < ? ORDER BY position DESC LIMIT ?
            """
        ).all([.text(stream.text), .text("replace " + target.rawValue)] + range) { row in row.integer() }
    }

    /// Lineage, store and environment of what a user has, and of what others share.
    private func contractNames(of user: UserID) throws(EngineError) -> [[Value]] {
        let related: [Value] = [Value(user), .integer(Int64(LedgerQueries.relationLimit))]
        let read = { (row: inout Row) in (0..<3).map { _ in Value.text(row.text()) } }
        return try sql(
            "SELECT lineage, provider, environment FROM contracts WHERE user = ? ORDER BY kind DESC, id DESC LIMIT ?"
        ).all(related, read: read)
            + sql(
                """
                SELECT lineage, provider, environment FROM contracts
                WHERE id IN (SELECT contract FROM shares WHERE user = ?) ORDER BY id DESC LIMIT ?
                """
            ).all(related, read: read)
    }
}

extension UserEvent {
    /// False if the event also concerns others, whose names may be in its body.
    fileprivate func isOnly(about user: UserID) -> Bool {
        let notice = entry.notice
        return notice.kind != .contractTransferred && (notice.user == nil || notice.user == user)
    }
}

/// The newest positions in several lists. Each list holds one position more than a page, or everything that it has.
private struct NewestPositions {
    let limit: Int
    var found: Set<Int64> = []
    /// Below this position, one of the lists may have positions that were not read.
    var floor: Int64 = 0

    /// `positions` are in descending order.
    mutating func add(_ positions: [Int64]) {
        found.formUnion(positions)
        if positions.count > limit, let last = positions.last { floor = max(floor, last) }
    }

    private var known: [Int64] { found.filter { $0 >= floor }.sorted(by: >) }

    var page: [Int64] { Array(known.prefix(limit)) }

    var hasMore: Bool { floor > 0 || known.count > limit }
}
