public import Domain

/// What has become of a message to the backend.
public enum HookState: String, CaseIterable, Sendable {
    case waiting, delivered, failed
}

/// A message to one address about one user. There is one of each type, in which a newer state takes the place of an older one,
/// and one for each change of a consumable or a charge.
public struct HookDelivery: Sendable, Equatable {
    public var id: Int64
    public var address: String
    public var user: UserID
    public var type: HookType
    /// The row of the consumable that it is about, or of the charge's contract, and the date of the store's statement by which that
    /// has changed, or the position at which the charge has; 0 of a message about the user.
    public var contract: Int64
    public var statedAt: Instant
    /// The store's id of the charge that it is about; nil if it is about none.
    public var charge: String?
    public var state: HookState
    /// Of the entry with the cause.
    public var position: Int64
    /// Counts the states that there was something to tell of; `accepted` is the last one that arrived, or 0.
    public var version: Int64
    public var accepted: Int64
    /// Since when the backend has not known the newest state.
    public var queuedAt: Instant
    public var attempts: Int
    /// Nil unless it waits.
    public var dueAt: Instant?
    /// Why the last attempt failed.
    public var reason: String?
    /// When it arrived, or was given up.
    public var endedAt: Instant?
    /// When the entry with the cause was committed.
    var causedAt: Instant

    /// The states that the backend was never told, because a newer one took their place.
    public var superseded: Int { Int(max(0, version - accepted - 1)) }

    /// `webhook-id`: the same until there is something newer to tell, and on no other message. A copy of the ledger may have the
    /// same position, but not of the same time: so it repeats the ids of what was there before it, and none of what came since.
    public func messageID(epoch: String) -> String {
        "msg_\(epoch)_\(position)_\(id)_\(String(causedAt.milliseconds, radix: 36))"
    }
}

/// A message, and what came of an attempt to send it.
public struct AnsweredHook: Sendable {
    public var delivery: HookDelivery
    public var result: HookResult

    public init(_ delivery: HookDelivery, result: HookResult) {
        self.delivery = delivery
        self.result = result
    }
}

/// A message that is to be sent now, with what it says.
public struct DueHook: Sendable {
    public var delivery: HookDelivery
    /// What has changed the user's state.
    public var cause: Entry
    /// Of `entitlements.changed`.
    public var entitlements: UserEntitlements?
    /// The consumable that it is about, or the contract of the charge.
    public var purchase: Contract?
    /// As it is now.
    public var charge: Charge?
}

/// How an address of the backend fares.
public struct HookAddressState: Sendable, Equatable {
    public var address: String
    /// When it last accepted a message.
    public var acceptedAt: Instant?
    /// Attempts since then.
    public var failures = 0
    public var failingSince: Instant?
    /// When it said that it is gone; nothing is sent there since.
    public var goneAt: Instant?
    /// Why the last attempt failed.
    public var reason: String?
    /// At most `JobBacklog.countLimit`.
    public var waiting = 0
    /// Since when the message that has waited longest waits.
    public var oldest: Instant?
}

extension LedgerQueries {
    /// At most `limit` messages to an address that are due, those that have waited longest first. No message passes an earlier
    /// one about the same user, nor the refund of a charge what is told of it before, at the same position. Each says what is true in
    /// the snapshot in which its row is read.
    public func hooks(to address: String, limit: Int) throws(EngineError) -> [DueHook] {
        let now = now
        let head = try head()
        var due = try sql(
            """
            SELECT \(HookDelivery.columnsDue), CASE WHEN EXISTS (
                    SELECT 1 FROM contracts WHERE contracts.user = due.user AND contracts.kind = 'consumable'
                ) OR EXISTS (SELECT 1 FROM shares WHERE shares.user = due.user) THEN 1 ELSE 0 END,
                due.position, \(EntryRow.qualifiedColumns)
            FROM hook_deliveries AS due JOIN entries ON entries.position = due.position
            WHERE address = ? AND due_at <= ? AND NOT EXISTS (
                SELECT 1 FROM hook_deliveries AS earlier
                WHERE earlier.user = due.user AND earlier.contract = 0 AND earlier.stated_at = 0
                    AND earlier.address = due.address AND earlier.due_at IS NOT NULL AND earlier.position < due.position
            ) AND NOT EXISTS (
                SELECT 1 FROM hook_deliveries AS earlier
                WHERE earlier.user = due.user AND earlier.address = due.address AND earlier.contract > 0
                    AND earlier.due_at IS NOT NULL AND earlier.position <= due.position
                    AND (earlier.position < due.position OR earlier.id < due.id
                        AND earlier.contract = due.contract AND earlier.charge = due.charge)
            ) ORDER BY queued_at, due.id LIMIT ?
            """
        ).all([.text(address), Value(now), .integer(Int64(limit))]) { row throws(EngineError) in
            let delivery = try HookDelivery.read(&row)
            // Consumables are not among what a transaction knows, nor is all that is shared.
            let holdsMore = row.flag()
            var hook = DueHook(delivery: delivery, cause: try EntryRow.read(&row))
            guard !holdsMore, delivery.type == .entitlementsChanged else { return hook }
            let known = states?.take(hook.delivery.user, at: hook.delivery.position, now: now)
            hook.entitlements = known.map { UserEntitlements($0, since: head) }
            return hook
        }
        for index in due.indices {
            let delivery = due[index].delivery
            if due[index].entitlements == nil, delivery.type == .entitlementsChanged {
                due[index].entitlements = try entitlements(of: delivery.user)
            }
            if delivery.contract > 0 { due[index].purchase = try sql.contract(delivery.contract)?.tracked.contract }
            if let id = delivery.charge { due[index].charge = try charge(id, of: delivery.contract) }
        }
        return due
    }

    /// Nil for an id that no message has.
    public func hookDelivery(_ id: Int64) throws(EngineError) -> HookDelivery? {
        try sql("SELECT \(HookDelivery.columns) FROM hook_deliveries WHERE id = ?")
            .first([.integer(id)], read: HookDelivery.read)
    }

    /// At most `limit` messages, the newest rows first, with ids below `id`; nil means all states.
    public func hookDeliveries(in state: HookState?, before id: Int64, limit: Int) throws(EngineError) -> [HookDelivery]
    {
        let range: [Value] = [.integer(id), .integer(Int64(limit))]
        guard let state else {
            return try sql("SELECT \(HookDelivery.columns) FROM hook_deliveries WHERE id < ? ORDER BY id DESC LIMIT ?")
                .all(range, read: HookDelivery.read)
        }
        return try sql(
            "SELECT \(HookDelivery.columns) FROM hook_deliveries WHERE state = ? AND id < ? ORDER BY id DESC LIMIT ?"
        ).all([Value(state)] + range, read: HookDelivery.read)
    }

    /// The messages about a user: one for each address and type, then at most 500 about the newest purchases.
    public func hookDeliveries(of user: UserID) throws(EngineError) -> [HookDelivery] {
        try sql(
            """
            SELECT \(HookDelivery.columns) FROM hook_deliveries
            WHERE user = ? AND contract = 0 AND stated_at = 0 ORDER BY type, address
            """
        ).all([Value(user)], read: HookDelivery.read)
            + sql(
                """
                SELECT \(HookDelivery.columns) FROM hook_deliveries WHERE user = ? AND contract > 0
                ORDER BY contract DESC, stated_at DESC, type DESC, address DESC LIMIT 500
                """
            ).all([Value(user)], read: HookDelivery.read)
    }

    /// How these addresses fare. Counts what waits for each of them up to `limit`.
    public func hookAddresses(
        _ addresses: [String],
        countingTo limit: Int = JobBacklog.countLimit
    ) throws(EngineError) -> [HookAddressState] {
        var states: [HookAddressState] = []
        for address in addresses {
            var state = HookAddressState(address: address)
            try sql(
                "SELECT accepted_at, failures, failing_since, gone_at, reason FROM hook_addresses WHERE address = ?"
            )
            .first([.text(address)]) { row in
                state.acceptedAt = row.optionalInstant()
                state.failures = Int(row.integer())
                state.failingSince = row.optionalInstant()
                state.goneAt = row.optionalInstant()
                state.reason = row.optionalText()
            }
            let waiting = try sql(
                """
                SELECT count(*) FROM (
                    SELECT queued_at FROM hook_deliveries WHERE address = ? AND due_at IS NOT NULL ORDER BY queued_at LIMIT ?
                ) AS waiting
                """
            ).first([.text(address), .integer(Int64(limit))]) { row in Int(row.integer()) }
            state.waiting = waiting ?? 0
            state.oldest =
                try sql("SELECT min(queued_at) FROM hook_deliveries WHERE address = ? AND due_at IS NOT NULL")
                .first([.text(address)]) { row in row.optionalInstant() } ?? nil
            states.append(state)
        }
        return states
    }
}

extension HookDelivery {
    private static let own = """
        id, address, user, type, contract, stated_at, charge, state, position, version, accepted, queued_at, attempts, due_at, \
        reason, ended_at
        """
    static let columns =
        own + ", (SELECT committed_at FROM entries WHERE entries.position = hook_deliveries.position)"
    /// For a join with the entries, which have some of the same names.
    static let columnsDue =
        own.split(separator: ", ").map { "due." + $0 }.joined(separator: ", ") + ", entries.committed_at"

    fileprivate static func read(_ row: inout Row) throws(EngineError) -> HookDelivery {
        HookDelivery(
            id: row.integer(),
            address: row.text(),
            user: row.user(),
            type: try row.word(),
            contract: row.integer(),
            statedAt: row.instant(),
            charge: row.optionalText().flatMap { $0.isEmpty ? nil : $0 },
            state: try row.word(),
            position: row.integer(),
            version: row.integer(),
            accepted: row.integer(),
            queuedAt: row.instant(),
            attempts: Int(row.integer()),
            dueAt: row.optionalInstant(),
            reason: row.optionalText(),
            endedAt: row.optionalInstant(),
            causedAt: row.instant()
        )
    }
}
