import Domain

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
                previous_state = NULL, state = NULL, active = NULL, access_until = NULL
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
            "DELETE FROM languages WHERE \"user\" = ?", "DELETE FROM transfers WHERE from_user = ?",
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
            "DELETE FROM contracts WHERE id = ?",
        ].map { sql throws(EngineError) in try connection.prepare(sql) }
        deleteJobsAbout = try connection.prepare("DELETE FROM jobs WHERE subject = ? AND provider = ?")
    }
}
