public import Domain

/// Erases a user. Rows of events and entries are emptied, because their positions count; all other rows are deleted.
extension LedgerRepository {
    /// The number of rows that one transaction empties: 5 ms, during which others wait.
    private static let rowsOfAStep = 100

    /// One step of an erasure; call it until the erasure is done. Events and entries are emptied first, because
    /// contracts and orders lead to them; the last step deletes those.
    public mutating func erase(_ user: UserID, now: Instant) throws(EngineError) -> ErasureStep {
        try connection.overwriteDeleted(true)
        defer { try? connection.overwriteDeleted(false) }
        stored.hasErasures = true
        var step = ErasureStep()
        step.events = try emptyEvents(of: user)
        step.fragments = try deleteFragments(of: user, limit: LedgerRepository.rowsOfAStep - step.events)
        guard step.events + step.fragments < LedgerRepository.rowsOfAStep else { return step }
        news.hasErased = true
        let erased = try decide(at: now) { unit in try unit.erase(user) }
        step.contracts = erased.contracts
        step.orders = erased.orders
        step.cursor = erased.cursor
        return step
    }

    private func emptyEvents(of user: UserID) throws(EngineError) -> Int {
        var count = 0
        for list in try listsOfEvents() where count < LedgerRepository.rowsOfAStep {
            let limit = Value.integer(Int64(LedgerRepository.rowsOfAStep - count))
            for position in try list.all([Value(user), limit], read: { $0.integer() }) {
                try empty(at: position, of: user)
                count += 1
            }
        }
        let transferred = try sql(
            """
            SELECT events.position FROM transfers JOIN entries ON entries.user = transfers.to_user
                JOIN events ON events.position = entries.position AND events.signed_at = transfers.at
            WHERE transfers.from_user = ?1 AND events.provider = transfers.provider AND length(events.body) > 0
            LIMIT ?2
            """
        ).all([Value(user), .integer(100)]) { row in row.integer() }
        for position in transferred { try emptyBody(at: position) }
        return count + transferred.count
    }

    /// They find the positions of events and entries that are only about a user, or lead to one.
    private func listsOfEvents() throws(EngineError) -> [Statement] {
        [
            try sql(
                """
                SELECT position FROM events
                WHERE contract IN (SELECT id FROM contracts WHERE user = ?1)
                    AND substr(event, 1, \(ErasureKey.prefix.utf8.count)) <> '\(ErasureKey.prefix)'
                LIMIT ?2
                """
            ),
            try sql(
                """
                SELECT entries.position FROM contracts JOIN entries ON entries.contract = contracts.lineage
                    AND entries.provider = contracts.provider AND entries.environment = contracts.environment
                WHERE contracts.user = ?1 AND entries.user IS NULL AND entries.contract IS NOT NULL LIMIT ?2
                """
            ),
            try sql(
                """
                SELECT entries.position FROM orders JOIN entries ON entries.order_token = orders.token
                WHERE orders.user = ?1 AND entries.user IS NULL AND entries.order_token IS NOT NULL LIMIT ?2
                """
            ),
            try sql("SELECT position FROM entries WHERE user = ?1 LIMIT ?2"),
        ]
    }

    /// An entry about somebody else stays; only its event is emptied.
    private func empty(at position: Int64, of user: UserID) throws(EngineError) {
        let event = try sql("SELECT event, provider, environment FROM events WHERE position = ?")
            .first([.integer(position)]) { row throws(EngineError) in
                EventKey(id: row.text(), provider: try row.word(), environment: try row.word())
            }
        if let event, !event.id.hasPrefix(ErasureKey.prefix) {
            try sql("UPDATE events SET event = ?2, body = ?3 WHERE position = ?1")
                .run([.integer(position), .text(try emptied(event, at: position))], body: [])
            // The contract's new owner needs the other jobs: Google refunds a purchase that is not acknowledged.
            try sql(
                """
                DELETE FROM jobs WHERE position = ?1 AND (kind = '\(Job.Kind.forward.rawValue)' OR NOT EXISTS (
                    SELECT 1 FROM events JOIN contracts ON contracts.id = events.contract
                    WHERE events.position = ?1 AND contracts.user <> ?2
                ))
                """
            ).run([.integer(position), Value(user)])
        }
        try sql(
            """
            UPDATE entries SET event = NULL, user = NULL, contract = NULL, order_token = NULL, product = NULL,
                previous_state = NULL, state = NULL, access_until = NULL, entitlements = NULL, charge = NULL, charge_is_refund = NULL
            WHERE position = ?1 AND (user IS NULL OR user = ?2)
            """
        ).run([.integer(position), Value(user)])
    }

    /// The id under which the emptied event is kept. A user who came back by a purchase that was erased before has the
    /// same event twice.
    private func emptied(_ event: EventKey, at position: Int64) throws(EngineError) -> String {
        let digest = erasureKey.digest(of: .event(event))
        let emptied = EventKey(id: digest, provider: event.provider, environment: event.environment)
        return try stored.position(of: emptied, orUnder: digest) == nil ? digest : "\(digest)-\(position)"
    }

    private func deleteFragments(of user: UserID, limit: Int) throws(EngineError) -> Int {
        guard limit > 0, let stream = streams.stream(for: user) else { return 0 }
        let found = try sql("SELECT collapse_key, position FROM fragments WHERE stream = ?1 LIMIT ?2")
            .all([.text(stream.text), .integer(Int64(limit))]) { row in
                [.text(stream.text), .text(row.text()), .integer(row.integer())] as [Value]
            }
        for fragment in found { try deleteFragments(at: fragment) }
        return found.count
    }
}

/// The rows that the decision changes.
extension LedgerRepository {
    mutating func writeTombstones(of changes: Changes) throws(EngineError) {
        if !changes.buried.isEmpty { stored.hasErasures = true }
        for identity in changes.lifted {
            try sql("DELETE FROM tombstones WHERE digest = ?").run([.text(erasureKey.digest(of: identity))])
        }
        let position = changes.entries.last?.entry.position ?? known.head
        for identity in changes.buried {
            try sql(
                """
                INSERT INTO tombstones (digest, position) VALUES (?, ?)
                ON CONFLICT (digest) DO UPDATE SET position = excluded.position
                """
            ).run([.text(erasureKey.digest(of: identity)), .integer(position)])
        }
    }

    mutating func forget(_ erased: ErasureRecord) throws(EngineError) {
        // Not the message about an erasure: another command of this batch may have queued it.
        news.hooks.removeAll { record in
            record.user == erased.user && record.type != .userErased
                || record.purchase.map { erased.contracts.contains($0.contract) } ?? false
        }
        try deleteRows(of: erased.user)
        for key in erased.contracts {
            guard let row = stored.ids.removeValue(forKey: key) else { continue }
            try sql("DELETE FROM jobs WHERE subject = ? AND provider = ?")
                .run([.text(key.lineage), Value(key.provider)])
            try deleteRows(ofContract: row)
        }
    }

    private func deleteRows(of user: UserID) throws(EngineError) {
        let user = [Value(user)]
        try withdrawOrders(of: user)
        try sql("DELETE FROM claims WHERE user = ?").run(user)
        try sql("DELETE FROM shares WHERE user = ?").run(user)
        try sql("DELETE FROM locales WHERE user = ?").run(user)
        try sql("DELETE FROM transfers WHERE from_user = ?").run(user)
        try sql("DELETE FROM transfers WHERE to_user = ?").run(user)
        try sql("DELETE FROM tokens WHERE token IN (SELECT token FROM orders WHERE user = ?)").run(user)
        try sql("DELETE FROM orders WHERE user = ?").run(user)
        try sql("UPDATE audit SET user = NULL WHERE user = ?").run(user)
        // The backend still has to learn of an erasure.
        try sql("DELETE FROM hook_deliveries WHERE user = ? AND type <> '\(HookType.userErased.rawValue)'").run(user)
    }

    /// A purchase that somebody else has by now was charged with the user's order. The tokens lead to it.
    private func withdrawOrders(of user: [Value]) throws(EngineError) {
        let bought = try sql(
            """
            SELECT tokens.contract, tokens.token FROM orders JOIN tokens ON tokens.token = orders.token
            WHERE orders.user = ?
            """
        ).all(user) { row in [.integer(row.integer()), .text(row.text())] as [Value] }
        for purchase in bought {
            try sql("UPDATE charges SET order_token = NULL WHERE contract = ? AND order_token = ?").run(purchase)
        }
    }

    private func deleteRows(ofContract row: Int64) throws(EngineError) {
        let row = [Value(row)]
        try sql("DELETE FROM jobs WHERE position IN (SELECT position FROM events WHERE contract = ?)").run(row)
        try sql("UPDATE events SET contract = NULL WHERE contract = ?").run(row)
        try sql("DELETE FROM tokens WHERE contract = ?").run(row)
        try sql("DELETE FROM claims WHERE contract = ?").run(row)
        try sql("DELETE FROM charges WHERE contract = ?").run(row)
        try sql("DELETE FROM shares WHERE contract = ?").run(row)
        // Of users who had the purchase before.
        try sql("DELETE FROM hook_deliveries WHERE contract = ? AND contract > 0").run(row)
        try sql("DELETE FROM contracts WHERE id = ?").run(row)
    }
}
