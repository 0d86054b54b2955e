public import Domain

/// What the app's backend is told, and how its answers are recorded.
extension LedgerRepository {
    /// A message that has arrived or failed is kept for as long as a job that was abandoned.
    private static let memoryOfHooks = Duration.seconds(30 * 86_400)
    /// More messages than one transaction has.
    private static let messagesOfAPosition: Int64 = 1 << 20

    /// One row for each user and address, at the transaction's end: a user who changed three times is told of once. What has
    /// become of a consumable has a row of its own.
    func writeHooks() throws(EngineError) {
        var newest: [HookKey: (position: Int64, count: Int64)] = [:]
        var order: [HookKey] = []
        for record in news.hooks {
            let key = HookKey(
                type: record.type,
                user: record.user,
                contract: record.purchase.flatMap { news.purchases[$0.contract] } ?? 0,
                statedAt: record.purchase?.statedAt ?? Instant(milliseconds: 0),
                charge: record.purchase?.charge.map { Array($0.utf8) } ?? []
            )
            if newest[key] == nil { order.append(key) }
            newest[key] = (record.position, (newest[key]?.count ?? 0) + 1)
        }
        // A position is given once, and every change that a backend is told of has an entry.
        var id = known.head * LedgerRepository.messagesOfAPosition
        for key in order {
            guard let new = newest[key] else { continue }
            for target in policy.hooks where target.types.contains(key.type) {
                try putHook([
                    Value(key.user), .text(target.address), Value(key.type), .integer(key.contract),
                    Value(key.statedAt), .text(String(decoding: key.charge, as: UTF8.self)), .integer(id),
                    Value(HookState.waiting), .integer(new.position),
                    .integer(new.count), .integer(0), Value(hooksAt), .integer(0), Value(hooksAt),
                ])
                id += 1
            }
        }
    }

    /// While a message waits, its date stays that of the oldest state that the backend has missed.
    private func putHook(_ values: [Value]) throws(EngineError) {
        try sql.insert(
            into: "hook_deliveries",
            """
            user, address, type, contract, stated_at, charge, id, state, position, version, accepted, queued_at, attempts, due_at
            """,
            replacing: 6,
            conflict: """
                ON CONFLICT (user, contract, stated_at, type, address, charge) DO UPDATE SET
                    state = excluded.state, position = excluded.position,
                    version = hook_deliveries.version + excluded.version, attempts = 0, due_at = excluded.due_at,
                    queued_at = CASE hook_deliveries.state
                        WHEN excluded.state THEN hook_deliveries.queued_at ELSE excluded.queued_at END,
                    reason = NULL, ended_at = NULL
                """
        ).run(values)
    }

    /// Records what one address answered. A message that has become newer meanwhile stays waiting. Those that it has refused
    /// while it was down need not wait for their next attempt.
    public mutating func end(
        _ answered: [AnsweredHook],
        endsOutage: Bool,
        now: Instant
    ) throws(EngineError) {
        for (index, hook) in answered.enumerated() {
            try end(hook.delivery, result: hook.result, now: now)
            let isLastOfItsKind = index + 1 == answered.count || answered[index + 1].result != .accepted
            guard hook.result == .accepted, isLastOfItsKind else { continue }
            try sql(
                """
                INSERT INTO hook_addresses (address, accepted_at, failures) VALUES (?, ?, 0)
                ON CONFLICT (address) DO UPDATE SET accepted_at = excluded.accepted_at, failures = 0, failing_since = NULL,
                    gone_at = NULL, reason = NULL
                """
            ).run([.text(hook.delivery.address), Value(now)])
        }
        if endsOutage, let address = answered.first?.delivery.address {
            // An address that is down is tried with one message a minute at most: in three days that many.
            try sql(
                """
                UPDATE hook_deliveries SET due_at = ? WHERE id IN (
                    SELECT id FROM hook_deliveries WHERE address = ? AND due_at > ? ORDER BY queued_at, id LIMIT 5000
                )
                """
            ).run([Value(now), .text(address), Value(now)])
        }
        try forgetHooks(at: now)
    }

    /// A few at a time. A message about an erasure that was given up is the last row that names its user. PostgreSQL overwrites
    /// nothing, and need not be asked.
    private mutating func forgetHooks(at now: Instant) throws(EngineError) {
        let values = [Value(now - LedgerRepository.memoryOfHooks)]
        let old = "FROM hook_deliveries WHERE ended_at < ? ORDER BY ended_at, id LIMIT 100"
        let forget = try sql("DELETE FROM hook_deliveries WHERE id IN (SELECT id \(old))")
        guard !isShared else { return try forget.run(values) }
        let hasErasure =
            try sql("SELECT max(CASE type WHEN 'user.erased' THEN 1 ELSE 0 END) FROM (SELECT type \(old)) AS old")
            .first(values) { row in row.optionalFlag() } ?? nil
        switch hasErasure {
        case true?: try erase(by: forget, values, at: now)
        case false?: try forget.run(values)
        case nil: break
        }
    }

    private mutating func end(_ delivery: HookDelivery, result: HookResult, now: Instant) throws(EngineError) {
        let row: [Value] = [.integer(delivery.id), .integer(delivery.version)]
        switch result {
        case .accepted where delivery.type == .userErased:
            // The last row that names an erased user.
            try erase(by: sql("DELETE FROM hook_deliveries WHERE id = ? AND version = ?"), row, at: now)
        case .accepted:
            let words = [Value(HookState.delivered), Value(now), .integer(delivery.id)]
            // Only the version that was sent has ended.
            try sql(
                """
                UPDATE hook_deliveries SET accepted = ?1, reason = NULL,
                    attempts = CASE version WHEN ?1 THEN attempts + 1 ELSE attempts END,
                    state = CASE version WHEN ?1 THEN ?2 ELSE state END,
                    due_at = CASE version WHEN ?1 THEN NULL ELSE due_at END,
                    ended_at = CASE version WHEN ?1 THEN ?3 ELSE ended_at END
                WHERE id = ?4
                """
            ).run([.integer(delivery.version)] + words)
        case .retry(let at, let reason):
            try sql(
                """
                UPDATE hook_deliveries SET attempts = attempts + 1, due_at = ?, reason = ?
                WHERE id = ? AND version = ? AND due_at IS NOT NULL
                """
            ).run([Value(at), .text(reason)] + row)
            try refused(delivery.address, at: now, reason: reason)
        case .failed(let reason):
            try sql(
                """
                UPDATE hook_deliveries
                SET attempts = attempts + 1, state = ?, reason = ?, ended_at = ?, due_at = NULL
                WHERE id = ? AND version = ?
                """
            ).run([Value(HookState.failed), .text(reason), Value(now)] + row)
            try refused(delivery.address, at: now, reason: reason)
        case .gone(let reason):
            try refused(delivery.address, at: now, goneAt: now, reason: reason)
        }
    }

    private func refused(
        _ address: String,
        at now: Instant,
        goneAt: Instant? = nil,
        reason: String
    ) throws(EngineError) {
        try sql(
            """
            INSERT INTO hook_addresses (address, failures, failing_since, gone_at, reason) VALUES (?, 1, ?, ?, ?)
            ON CONFLICT (address) DO UPDATE SET failures = hook_addresses.failures + 1,
                failing_since = COALESCE(hook_addresses.failing_since, excluded.failing_since),
                gone_at = COALESCE(excluded.gone_at, hook_addresses.gone_at), reason = excluded.reason
            """
        ).run([.text(address), Value(now), Value(goneAt), .text(reason)])
    }

    /// Deletes so that no byte is left, once the writer has overwritten what earlier states of the row may have left.
    private mutating func erase(by statement: Statement, _ values: [Value], at now: Instant) throws(EngineError) {
        try connection.overwriteDeleted(true)
        defer { try? connection.overwriteDeleted(false) }
        try statement.run(values)
        news.hasErasedMessage = true
        if !isShared { try saveCheckpoint(LedgerRepository.scrub, at: now) }
    }

    /// The mark of what is still to be overwritten, for the case that the process is killed before.
    private static let scrub = "scrub"

    /// Whether something is, perhaps since before this start.
    func owesScrub() throws(EngineError) -> Bool {
        try sql.mark(LedgerRepository.scrub) != nil && !isShared
    }

    /// It was overwritten. Runs a transaction of its own.
    mutating func settleScrub() throws(EngineError) {
        guard try owesScrub() else { return }
        try begin()
        try sql("DELETE FROM marks WHERE name = ?").run([.text(LedgerRepository.scrub)])
        try commit()
    }

    /// Sends a message once more, in the user's present state. Whoever asks for it is in the audit.
    public mutating func resendHook(_ id: Int64, now: Instant) throws(EngineError) {
        try sql(
            """
            UPDATE hook_deliveries
            SET state = ?, attempts = 0, due_at = ?, reason = NULL, ended_at = NULL WHERE id = ?
            """
        ).run([Value(HookState.waiting), Value(now), .integer(id)])
        if let act { try note(act, at: now) }
    }

    /// Settings that were just read name these addresses: what said that it is gone is tried again. What has waited too long
    /// for an address that nobody names any more, or that has been gone as long, is erased: it names users.
    public mutating func nameHooks(_ addresses: [String], now: Instant) throws(EngineError) {
        let limit = now - LedgerRepository.memoryOfHooks
        var last = ""
        while let address = try sql("SELECT min(address) FROM hook_deliveries WHERE address > ? AND due_at IS NOT NULL")
            .first([.text(last)], read: { row in row.optionalText() }) ?? nil
        {
            let goneAt =
                try sql("SELECT gone_at FROM hook_addresses WHERE address = ?")
                .first([.text(address)]) { row in row.optionalInstant() } ?? nil
            if !addresses.contains(address) || goneAt.map({ $0 < limit }) == true {
                try erase(
                    by: sql(
                        """
                        DELETE FROM hook_deliveries WHERE id IN (
                            SELECT id FROM hook_deliveries WHERE address = ? AND due_at IS NOT NULL AND queued_at < ?
                            ORDER BY queued_at, id LIMIT 5000
                        )
                        """
                    ),
                    [.text(address), Value(limit)],
                    at: now
                )
            }
            last = address
        }
        for address in addresses {
            try sql("UPDATE hook_addresses SET gone_at = NULL WHERE address = ?").run([.text(address)])
        }
    }
}

private struct HookKey: Hashable {
    var type: HookType
    var user: UserID
    /// Of a purchase: the contract's row, and the statement that changed it.
    var contract: Int64
    var statedAt: Instant
    /// The store's id of the charge, if it is about one.
    var charge: [UInt8]
}
