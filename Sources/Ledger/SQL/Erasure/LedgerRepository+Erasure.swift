public import Domain

/// The SQL of an erasure, prepared when one begins.
struct ErasureStatements {
    let contracts, related, orders, losses: Statement
    let eventsOfContracts, entriesOfUser, entriesOfContracts, entriesOfOrders, transfers: Statement
    let eventAt, emptyEvent, emptyBody, emptyEntry, deleteJobs: Statement
    let fragments, deleteFragments: Statement
    let deleteOfUser, deleteOfContract: [Statement]
    let deleteJobsAbout: Statement

    init(_ connection: any LedgerConnection) throws(EngineError) {
        contracts = try connection.contracts(where: "\"user\" = ?")
        related = try connection.contracts(
            where: """
                id IN (
                    SELECT contract FROM shares WHERE "user" = ?1
                    UNION SELECT contract FROM claims WHERE "user" = ?1
                    UNION SELECT id FROM contracts WHERE unasked_user = ?1
                    UNION SELECT tokens.contract FROM orders JOIN tokens ON tokens.token = orders.token
                        WHERE orders."user" = ?1
                ) AND ("user" IS NULL OR "user" <> ?1)
                """
        )
        orders = try connection.prepare("SELECT token FROM orders WHERE \"user\" = ?")
        losses = try connection.prepare("SELECT DISTINCT provider, environment FROM transfers WHERE from_user = ?")

        eventsOfContracts = try connection.prepare(
            """
            SELECT position FROM events
            WHERE contract IN (SELECT id FROM contracts WHERE "user" = ?1)
                AND substr(event, 1, \(ErasureKey.prefix.utf8.count)) <> '\(ErasureKey.prefix)'
            LIMIT ?2
            """
        )
        entriesOfUser = try connection.prepare("SELECT position FROM entries WHERE \"user\" = ?1 LIMIT ?2")
        entriesOfContracts = try connection.prepare(
            """
            SELECT entries.position FROM contracts JOIN entries ON entries.contract = contracts.lineage
                AND entries.provider = contracts.provider AND entries.environment = contracts.environment
            WHERE contracts."user" = ?1 AND entries."user" IS NULL AND entries.contract IS NOT NULL LIMIT ?2
            """
        )
        entriesOfOrders = try connection.prepare(
            """
            SELECT entries.position FROM orders JOIN entries ON entries.order_token = orders.token
            WHERE orders."user" = ?1 AND entries."user" IS NULL AND entries.order_token IS NOT NULL LIMIT ?2
            """
        )
        transfers = try connection.prepare(
            """
            SELECT events.position FROM transfers JOIN entries ON entries."user" = transfers.to_user
                JOIN events ON events.position = entries.position AND events.signed_at = transfers.at
            WHERE transfers.from_user = ?1 AND events.provider = transfers.provider AND length(events.body) > 0
            LIMIT ?2
            """
        )
        eventAt = try connection.prepare("SELECT event, provider, environment FROM events WHERE position = ?")
        emptyEvent = try connection.prepare("UPDATE events SET event = ?2, body = ?3 WHERE position = ?1")
        emptyBody = try connection.prepare("UPDATE events SET body = ?2 WHERE position = ?1")
        emptyEntry = try connection.prepare(
            """
            UPDATE entries SET event = NULL, "user" = NULL, contract = NULL, order_token = NULL, product = NULL,
                previous_state = NULL, state = NULL, access_until = NULL, entitlements = NULL
            WHERE position = ?1 AND ("user" IS NULL OR "user" = ?2)
            """
        )
        // The contract's new owner needs the other jobs: Google refunds a purchase that is not acknowledged.
        deleteJobs = try connection.prepare(
            """
            DELETE FROM jobs WHERE position = ?1 AND (kind = '\(Job.Kind.forward.rawValue)' OR NOT EXISTS (
                SELECT 1 FROM events JOIN contracts ON contracts.id = events.contract
                WHERE events.position = ?1 AND contracts."user" <> ?2
            ))
            """
        )
        fragments = try connection.prepare("SELECT collapse_key, position FROM fragments WHERE stream = ?1 LIMIT ?2")
        deleteFragments = try connection.prepare(
            "DELETE FROM fragments WHERE stream = ? AND collapse_key = ? AND position = ?"
        )
        deleteOfUser = try [
            "DELETE FROM claims WHERE \"user\" = ?", "DELETE FROM shares WHERE \"user\" = ?",
            "DELETE FROM locales WHERE \"user\" = ?", "DELETE FROM transfers WHERE from_user = ?",
            "DELETE FROM transfers WHERE to_user = ?",
            "DELETE FROM tokens WHERE token IN (SELECT token FROM orders WHERE \"user\" = ?)",
            "DELETE FROM orders WHERE \"user\" = ?", "UPDATE audit SET \"user\" = NULL WHERE \"user\" = ?",
            // The backend still has to learn of an erasure.
            "DELETE FROM hook_deliveries WHERE \"user\" = ? AND type <> '\(HookType.userErased.rawValue)'",
        ].map { sql throws(EngineError) in try connection.prepare(sql) }
        deleteOfContract = try [
            "DELETE FROM jobs WHERE position IN (SELECT position FROM events WHERE contract = ?)",
            "UPDATE events SET contract = NULL WHERE contract = ?", "DELETE FROM tokens WHERE contract = ?",
            "DELETE FROM claims WHERE contract = ?", "DELETE FROM shares WHERE contract = ?",
            // Of users who had the purchase before.
            "DELETE FROM hook_deliveries WHERE contract = ? AND contract > 0", "DELETE FROM contracts WHERE id = ?",
        ].map { sql throws(EngineError) in try connection.prepare(sql) }
        deleteJobsAbout = try connection.prepare("DELETE FROM jobs WHERE subject = ? AND provider = ?")
    }
}

/// Erases a user. Rows of events and entries are emptied, because their positions count; all other rows are deleted.
extension LedgerRepository {
    /// The number of rows that one transaction empties: 5 ms, during which others wait.
    private static let rowsOfAStep = 100

    /// One step of an erasure; call it until the erasure is done. Events and entries are emptied first, because
    /// contracts and orders lead to them; the last step deletes those.
    public mutating func erase(_ user: UserID, now: Instant) throws(EngineError) -> ErasureStep {
        try connection.overwriteDeleted(true)
        defer { try? connection.overwriteDeleted(false) }
        let erasure = try ErasureStatements(connection)
        stored.hasErasures = true
        var step = ErasureStep()
        step.events = try emptyEvents(of: user, by: erasure)
        step.fragments = try deleteFragments(of: user, by: erasure, limit: LedgerRepository.rowsOfAStep - step.events)
        guard step.events + step.fragments < LedgerRepository.rowsOfAStep else { return step }
        news.hasErased = true
        let erased = try decide(at: now) { unit in try unit.erase(user) }
        step.contracts = erased.contracts
        step.orders = erased.orders
        step.cursor = erased.cursor
        return step
    }

    private func emptyEvents(of user: UserID, by erasure: ErasureStatements) throws(EngineError) -> Int {
        var count = 0
        for list in [
            erasure.eventsOfContracts, erasure.entriesOfContracts, erasure.entriesOfOrders, erasure.entriesOfUser,
        ] where count < LedgerRepository.rowsOfAStep {
            let limit = Value.integer(Int64(LedgerRepository.rowsOfAStep - count))
            for position in try list.all([Value(user), limit], read: { $0.integer() }) {
                try empty(at: position, of: user, by: erasure)
                count += 1
            }
        }
        for position in try erasure.transfers.all([Value(user), .integer(100)], read: { $0.integer() }) {
            try erasure.emptyBody.run([.integer(position)], body: [])
            count += 1
        }
        return count
    }

    /// An entry about somebody else stays; only its event is emptied.
    private func empty(at position: Int64, of user: UserID, by erasure: ErasureStatements) throws(EngineError) {
        let event = try erasure.eventAt.first([.integer(position)]) { row throws(EngineError) in
            EventKey(id: row.text(), provider: try row.word(), environment: try row.word())
        }
        if let event, !event.id.hasPrefix(ErasureKey.prefix) {
            try erasure.emptyEvent.run([.integer(position), .text(try emptied(event, at: position))], body: [])
            try erasure.deleteJobs.run([.integer(position), Value(user)])
        }
        try erasure.emptyEntry.run([.integer(position), Value(user)])
    }

    /// The id under which the emptied event is kept. A user who came back by a purchase that was erased before has the
    /// same event twice.
    private func emptied(_ event: EventKey, at position: Int64) throws(EngineError) -> String {
        let digest = erasureKey.digest(of: .event(event))
        let place: [Value] = [.text(digest), .text(digest), Value(event.provider), Value(event.environment)]
        let isTaken = try statements.findEvent.first(place) { row in !row.isNull() } ?? false
        return isTaken ? "\(digest)-\(position)" : digest
    }

    private func deleteFragments(
        of user: UserID,
        by erasure: ErasureStatements,
        limit: Int
    ) throws(EngineError) -> Int {
        guard limit > 0, let stream = streams.stream(for: user) else { return 0 }
        let found = try erasure.fragments.all([.text(stream.text), .integer(Int64(limit))]) { row in
            [.text(stream.text), .text(row.text()), .integer(row.integer())] as [Value]
        }
        for fragment in found { try erasure.deleteFragments.run(fragment) }
        return found.count
    }
}

/// The rows that the decision changes.
extension LedgerRepository {
    mutating func writeTombstones(of changes: Changes) throws(EngineError) {
        if !changes.buried.isEmpty { stored.hasErasures = true }
        for identity in changes.lifted {
            try statements.deleteTombstone.run([.text(erasureKey.digest(of: identity))])
        }
        let position = changes.entries.last?.entry.position ?? known.head
        for identity in changes.buried {
            try statements.putTombstone.run([.text(erasureKey.digest(of: identity)), .integer(position)])
        }
    }

    mutating func forget(_ erased: ErasureRecord) throws(EngineError) {
        let erasure = try ErasureStatements(connection)
        // Not the message about an erasure: another command of this batch may have queued it.
        news.hooks.removeAll { record in
            record.user == erased.user && record.type != .userErased
                || record.purchase.map { erased.contracts.contains($0.contract) } ?? false
        }
        for statement in erasure.deleteOfUser { try statement.run([Value(erased.user)]) }
        for key in erased.contracts {
            guard let row = stored.ids.removeValue(forKey: key) else { continue }
            try erasure.deleteJobsAbout.run([.text(key.lineage), Value(key.provider)])
            for statement in erasure.deleteOfContract { try statement.run([.integer(row)]) }
        }
    }
}
