public import Domain

/// An event as it was posted.
public struct StoredEvent: Sendable, Equatable {
    public var position: Int64
    public var provider: Provider
    public var environment: StoreEnvironment
    public var app: String
    public var id: String
    public var receivedAt: Instant
    public var body: [UInt8]
    /// The ledger's id of the contract that the event changed or confirmed.
    public var contract: Int64?
}

/// Selects stored events within a range of positions: those with the given ids, of a contract, of a user, or all.
public struct EventSelection: Sendable, Equatable {
    /// The stores' event ids; empty means all. A limit counts the ids, each of which several stores may have used.
    public var ids: [String]
    /// The ledger's id of the contract.
    public var contract: Int64?
    public var user: UserID?
    /// The first and the last position.
    public var since: Int64
    public var until: Int64
    /// The last position of the previous page.
    public var after: Int64

    public init(
        ids: [String] = [],
        contract: Int64? = nil,
        user: UserID? = nil,
        since: Int64 = 0,
        until: Int64 = .max,
        after: Int64 = 0
    ) {
        self.ids = ids
        self.contract = contract
        self.user = user
        self.since = max(1, since)
        self.until = until
        self.after = max(0, after)
    }
}

/// How somebody names one event.
public enum EventName: Sendable, Equatable {
    /// The store's id.
    case id(String)
    /// Where it was committed; also of what the ledger committed by itself.
    case position(Int64)
}

/// One event, with what explains its outcome.
public struct EventRecord: Sendable, Equatable {
    public var event: UserEvent
    /// As a store sent it; nil for what the ledger committed by itself. Its body may have been emptied.
    public var stored: StoredEvent?
    /// The event of the same contract with the latest date, if that is later, and it was there before: what made this one
    /// stale.
    public var newer: UserEvent?
}

extension LedgerQueries {
    /// A contract and what it takes to rebuild it; nil if no contract has this id. Finds its newest event up to `position`.
    public func contract(_ id: Int64, until position: Int64) throws(EngineError) -> ContractRebuild? {
        guard let row = try sql.contract(id) else { return nil }
        return ContractRebuild(row.tracked.contract, newest: try newestEvent(of: id, until: position) ?? 0)
    }

    /// The position of the newest event of a contract up to a position; nil if it has none there.
    func newestEvent(of contract: Int64, until position: Int64) throws(EngineError) -> Int64? {
        try sql("SELECT max(position) FROM events WHERE contract = ? AND position <= ?")
            .first([.integer(contract), .integer(position)]) { row in row.optionalInteger() } ?? nil
    }

    /// The number of a contract's events before one that may be the newer one.
    private static let rivalLimit: Int64 = 100

    /// Nil for a name that nothing has. Of several stores' events with one id, the newest.
    public func event(_ name: EventName) throws(EngineError) -> EventRecord? {
        let position: Int64?
        switch name {
        case .id(let id): position = try self.position(ofEvent: id)
        case .position(let known): position = known
        }
        guard let position, let event = try userEvent(at: position) else { return nil }
        let stored = try events(after: [.integer(position - 1), .integer(position), .integer(1)]).first
        var record = EventRecord(event: event, stored: stored)
        if let contract = stored?.contract, let date = event.dates?.occurredAt {
            let before: [Value] = [.integer(contract), .integer(position), .integer(LedgerQueries.rivalLimit)]
            let dated = try sql(
                "SELECT position, signed_at FROM events WHERE contract = ? AND position < ? ORDER BY position DESC LIMIT ?"
            ).all(before) { ($0.integer(), $0.instant()) }
            let newest = dated.filter { $0.1 > date }.max { $0.1 < $1.1 }
            if let newest { record.newer = try userEvent(at: newest.0) }
        }
        return record
    }

    /// The position of the newest event with this id, which two stores may use; nil without one.
    func position(ofEvent id: String) throws(EngineError) -> Int64? {
        try sql("SELECT max(position) FROM \(sql.eventIDs) WHERE event = ?")
            .first([.text(id)]) { row in row.optionalInteger() } ?? nil
    }

    /// Stored events in the order of their positions. The next page begins after the last one's.
    public func events(_ selection: EventSelection, limit: Int) throws(EngineError) -> [StoredEvent] {
        let head = try head()
        let after = max(selection.after, selection.since - 1)
        let until = min(selection.until, head.position)
        let range: [Value] = [.integer(after), .integer(until), .integer(Int64(limit))]
        if !selection.ids.isEmpty {
            var found: [StoredEvent] = []
            // Each store and environment may have an event with that id. There is no next page, so none is left
            // out.
            for id in selection.ids.prefix(limit) {
                let values: [Value] = [.text(id), .integer(after), .integer(until)]
                found += try sql(
                    """
                    SELECT \(StoredEvent.columns) FROM events
                    WHERE position IN (SELECT position FROM \(sql.eventIDs) WHERE event = ?)
                        AND position > ? AND position <= ?
                    """
                ).all(values, read: StoredEvent.read)
            }
            return found.sorted { $0.position < $1.position }
        }
        if let contract = selection.contract { return try events(of: contract, in: range) }
        guard let user = selection.user else { return try events(after: range) }
        var found: [StoredEvent] = []
        for contract in try contractIDs(of: user) { found += try events(of: contract, in: range) }
        return Array(found.sorted { $0.position < $1.position }.prefix(limit))
    }

    /// `range` is the position before the first, the last one, and how many.
    private func events(after range: [Value]) throws(EngineError) -> [StoredEvent] {
        try sql(
            "SELECT \(StoredEvent.columns) FROM events WHERE position > ? AND position <= ? ORDER BY position LIMIT ?"
        ).all(range, read: StoredEvent.read)
    }

    private func events(of contract: Int64, in range: [Value]) throws(EngineError) -> [StoredEvent] {
        try sql(
            """
            SELECT \(StoredEvent.columns) FROM events
            WHERE contract = ? AND position > ? AND position <= ? ORDER BY position LIMIT ?
            """
        ).all([.integer(contract)] + range, read: StoredEvent.read)
    }

    /// Also those that others share.
    func contractIDs(of user: UserID) throws(EngineError) -> [Int64] {
        try sql("SELECT id FROM contracts WHERE user = ?").all([Value(user)]) { row in row.integer() }
            + sql("SELECT contract FROM shares WHERE user = ?").all([Value(user)]) { row in row.integer() }
    }
}

extension StoredEvent {
    static let columns = "position, provider, environment, app, event, received_at, \(StoredBody.columns), contract"

    fileprivate static func read(_ row: inout Row) throws(EngineError) -> StoredEvent {
        StoredEvent(
            position: row.integer(),
            provider: try row.word(),
            environment: try row.word(),
            app: row.text(),
            id: row.text(),
            receivedAt: row.instant(),
            body: try row.body() ?? [],
            contract: row.optionalInteger()
        )
    }
}
