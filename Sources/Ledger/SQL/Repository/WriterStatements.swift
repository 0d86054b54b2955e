import Domain

/// All SQL of the writer, prepared once, in the dialect that SQLite and PostgreSQL share. The tables are in each
/// engine's schema.
struct WriterStatements {
    let common: CommonSQL
    let savepoint, release, rollbackTo: Statement
    let setUnclaimed, setLost, setCatalog: Statement
    let insertEntry, insertFragment, newerOfUser: Statement
    let findEvent, insertHeader, insertEvent, refileEvent, newestEvent: Statement
    let findOrder, findRequest, findUse, insertOrder, changeOrder: Statement
    let findContract, lastContract, contractsAfter, contractsUnlisted: Statement
    let insertContract, updateIdentity, updateState: Statement
    let insertShare, deleteShares: Statement
    let tokens, putToken, contractsByToken: Statement
    let claims, putClaim: Statement
    let contractsByAccount, contractsByPreviousLineage, contractsByPurchase: Statement
    let insertTransfer, transfers, contractsOfStoreUser: Statement
    let insertJob, deleteJob, delayJob, abandonJob, forgetJobs, setMark, deleteMark: Statement
    let putHook, acceptHook, delayHook, hastenHooks, endHook, deleteHook, resendHook, forgetHooks: Statement
    let forgottenErasures: Statement
    let hookAccepted, hookRefused, hookReturned, nextHookAddress, hookGone, dropHooks: Statement
    let findBroadcastKey, putBroadcastKey, forgetBroadcastKeys, limitBroadcastKeys: Statement
    let nextEnd, endedContracts: Statement
    let putLocale: Statement
    let insertAct: Statement
    let anyTombstone, anyErasedEvent, putTombstone, deleteTombstone: Statement

    private static let oldHooks = "FROM hook_deliveries WHERE ended_at < ? ORDER BY ended_at, id LIMIT 100"

    init(_ connection: any LedgerConnection) throws(EngineError) {
        let oldHooks = WriterStatements.oldHooks
        common = try CommonSQL(connection)
        savepoint = try connection.prepare("SAVEPOINT command")
        release = try connection.prepare("RELEASE command")
        rollbackTo = try connection.prepare("ROLLBACK TO command")

        setLost = try connection.prepare(
            "INSERT INTO meta VALUES ('broadcasts_lost', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        )
        setCatalog = try connection.prepare(
            "INSERT INTO meta VALUES ('catalog', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        )
        setUnclaimed = try connection.prepare("UPDATE meta SET value = ? WHERE key = 'unclaimed'")

        insertEntry = try connection.prepare(Insertion(into: "entries", "position, \(EntryRow.columns)"))
        insertFragment = try connection.prepare(Insertion(into: "fragments", FragmentRow.columns))
        newerOfUser = try connection.prepare("SELECT 1 FROM entries WHERE user = ? AND position > ? LIMIT 1")

        findEvent = try connection.prepare(
            """
            SELECT min(position) FROM \(connection.eventIDs)
            WHERE event IN (?, ?) AND provider = ? AND environment = ?
            """
        )
        refileEvent = try connection.prepare(
            """
            UPDATE events SET contract = ?1
            WHERE position = (
                SELECT position FROM \(connection.eventIDs) WHERE event = ?2 AND provider = ?3 AND environment = ?4
            ) AND contract IS DISTINCT FROM ?1
            """
        )
        newestEvent = try connection.prepare("SELECT max(position) FROM events WHERE contract = ?")
        insertHeader = try connection.prepare(
            Insertion(into: "headers", "digest, text", conflict: "ON CONFLICT (digest) DO NOTHING")
        )
        insertEvent = try connection.prepare(
            Insertion(
                into: "events",
                "position, provider, environment, event, app, signed_at, received_at, contract, header, body"
            )
        )

        findOrder = try connection.prepare("SELECT \(OrderRow.columns) FROM orders WHERE token = ?")
        findRequest = try connection.prepare(
            """
            SELECT \(OrderRow.columns) FROM orders
            WHERE user = ? AND product = ? AND provider IS NOT DISTINCT FROM ? AND product_group IS NOT DISTINCT FROM ?
                AND kind IS NOT DISTINCT FROM ?
            ORDER BY created_at DESC, token DESC LIMIT \(Order.likeLimit)
            """
        )
        findUse = try connection.prepare(
            """
            SELECT 1 FROM tokens WHERE token = ?1
            UNION ALL SELECT 1 FROM entries
                WHERE order_token = ?1 AND user IS NULL AND outcome = '\(Outcome.quarantined.rawValue)' LIMIT 1
            """
        )
        insertOrder = try connection.prepare(Insertion(into: "orders", "\(OrderRow.columns), created_at"))
        changeOrder = try connection.prepare(
            "UPDATE orders SET product = ?, provider = ?, product_group = ?, kind = ?, trace = ? WHERE token = ?"
        )

        findContract = try connection.contracts(where: "lineage = ? AND \(ContractRow.scope)")
        lastContract = try connection.prepare("SELECT max(id) FROM contracts")
        contractsAfter = try connection.contracts(where: "id > ? ORDER BY id LIMIT ?")
        contractsUnlisted = try connection.contracts(
            where: "is_unlisted = 1 AND provider = ? AND product = ? ORDER BY user, id LIMIT ?"
        )
        insertContract = try connection.prepare(Insertion(into: "contracts", "id, \(ContractRow.columns)"))
        updateIdentity = try connection.prepare(
            waiting: "UPDATE contracts SET \(assignments(ContractRow.identityColumns)) WHERE id = ?"
        )
        updateState = try connection.prepare(
            waiting: "UPDATE contracts SET \(assignments(ContractRow.stateColumns)) WHERE id = ?"
        )
        insertShare = try connection.prepare("INSERT INTO shares (user, contract, ordinal) VALUES (?, ?, ?)")
        deleteShares = try connection.prepare("DELETE FROM shares WHERE contract = ?")

        tokens = try connection.prepare("SELECT token, at, bought_at FROM tokens WHERE contract = ?")
        putToken = try connection.prepare(Insertion(into: "tokens", "contract, token, at, bought_at", replacing: 2))
        contractsByToken = try connection.contracts(
            where: "id IN (SELECT contract FROM tokens WHERE token = ?) ORDER BY id LIMIT \(ContractIndex.boughtLimit)"
        )
        claims = try connection.prepare(
            """
            SELECT user, first_at, first_was_active, at, was_active, proof_at FROM claims
            WHERE contract = ? ORDER BY user
            """
        )
        putClaim = try connection.prepare(
            Insertion(
                into: "claims",
                "contract, user, first_at, first_was_active, at, was_active, proof_at",
                replacing: 2
            )
        )
        contractsByAccount = try connection.contracts(
            where: "account = ? AND \(ContractRow.scope) ORDER BY id LIMIT \(ContractIndex.relatedLimit)"
        )
        contractsByPreviousLineage = try connection.contracts(
            where: "previous_lineage = ? AND \(ContractRow.scope) ORDER BY id LIMIT \(ContractIndex.relatedLimit)"
        )

        contractsByPurchase = try connection.contracts(
            where: """
                lineage > ? AND lineage < ? AND \(ContractRow.scope)
                ORDER BY lineage LIMIT \(ContractIndex.relatedLimit)
                """
        )

        insertTransfer = try connection.prepare(
            Insertion(
                into: "transfers",
                "from_user, provider, environment, at, to_user",
                conflict: "ON CONFLICT DO NOTHING"
            )
        )
        transfers = try connection.prepare(
            """
            SELECT at, to_user FROM transfers
            WHERE from_user = ? AND provider = ? AND environment = ? ORDER BY at, to_user
            """
        )
        contractsOfStoreUser = try connection.contracts(
            where: "user = ? AND provider = ? AND environment = ? AND store_user IS NOT NULL ORDER BY kind, id"
        )

        insertJob = try connection.prepare(
            Insertion(
                into: "jobs",
                """
                kind, provider, environment, app, subject, detail, deadline, position, queued_at, due_at, attempts
                """,
                conflict: "ON CONFLICT DO NOTHING"
            )
        )
        deleteJob = try connection.prepare("DELETE FROM jobs WHERE id = ?")
        delayJob = try connection.prepare(
            "UPDATE jobs SET attempts = attempts + 1, due_at = ?, reason = ? WHERE id = ? AND due_at IS NOT NULL"
        )
        abandonJob = try connection.prepare(
            "UPDATE jobs SET attempts = attempts + 1, due_at = NULL, reason = ?, abandoned_at = ? WHERE id = ?"
        )
        forgetJobs = try connection.prepare(
            "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs WHERE abandoned_at < ? ORDER BY abandoned_at LIMIT 100)"
        )
        deleteMark = try connection.prepare("DELETE FROM marks WHERE name = ?")
        setMark = try connection.prepare(
            "INSERT INTO marks (name, at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET at = excluded.at"
        )

        // While a message waits, its date stays that of the oldest state that the backend has missed.
        putHook = try connection.prepare(
            Insertion(
                into: "hook_deliveries",
                """
                user, address, type, contract, stated_at, id, state, position, version, accepted, queued_at, attempts,
                due_at
                """,
                replacing: 5,
                conflict: """
                    ON CONFLICT (user, contract, stated_at, type, address) DO UPDATE SET
                        state = excluded.state, position = excluded.position,
                        version = hook_deliveries.version + excluded.version, attempts = 0, due_at = excluded.due_at,
                        queued_at = CASE hook_deliveries.state
                            WHEN excluded.state THEN hook_deliveries.queued_at ELSE excluded.queued_at END,
                        reason = NULL, ended_at = NULL
                    """
            )
        )
        // Only the version that was sent has ended.
        acceptHook = try connection.prepare(
            """
            UPDATE hook_deliveries SET accepted = ?1, reason = NULL,
                attempts = CASE version WHEN ?1 THEN attempts + 1 ELSE attempts END,
                state = CASE version WHEN ?1 THEN ?2 ELSE state END,
                due_at = CASE version WHEN ?1 THEN NULL ELSE due_at END,
                ended_at = CASE version WHEN ?1 THEN ?3 ELSE ended_at END
            WHERE id = ?4
            """
        )
        delayHook = try connection.prepare(
            """
            UPDATE hook_deliveries SET attempts = attempts + 1, due_at = ?, reason = ?
            WHERE id = ? AND version = ? AND due_at IS NOT NULL
            """
        )
        // An address that is down is tried with one message a minute at most: in three days that many.
        hastenHooks = try connection.prepare(
            """
            UPDATE hook_deliveries SET due_at = ? WHERE id IN (
                SELECT id FROM hook_deliveries WHERE address = ? AND due_at > ? ORDER BY queued_at, id LIMIT 5000
            )
            """
        )
        endHook = try connection.prepare(
            """
            UPDATE hook_deliveries
            SET attempts = attempts + 1, state = ?, reason = ?, ended_at = ?, due_at = NULL
            WHERE id = ? AND version = ?
            """
        )
        deleteHook = try connection.prepare("DELETE FROM hook_deliveries WHERE id = ? AND version = ?")
        resendHook = try connection.prepare(
            """
            UPDATE hook_deliveries
            SET state = ?, attempts = 0, due_at = ?, reason = NULL, ended_at = NULL WHERE id = ?
            """
        )
        forgetHooks = try connection.prepare("DELETE FROM hook_deliveries WHERE id IN (SELECT id \(oldHooks))")
        forgottenErasures = try connection.prepare(
            "SELECT max(CASE type WHEN 'user.erased' THEN 1 ELSE 0 END) FROM (SELECT type \(oldHooks)) AS old"
        )
        hookAccepted = try connection.prepare(
            """
            INSERT INTO hook_addresses (address, accepted_at, failures) VALUES (?, ?, 0)
            ON CONFLICT (address) DO UPDATE SET accepted_at = excluded.accepted_at, failures = 0, failing_since = NULL,
                gone_at = NULL, reason = NULL
            """
        )
        hookRefused = try connection.prepare(
            """
            INSERT INTO hook_addresses (address, failures, failing_since, gone_at, reason) VALUES (?, 1, ?, ?, ?)
            ON CONFLICT (address) DO UPDATE SET failures = hook_addresses.failures + 1,
                failing_since = COALESCE(hook_addresses.failing_since, excluded.failing_since),
                gone_at = COALESCE(excluded.gone_at, hook_addresses.gone_at), reason = excluded.reason
            """
        )
        hookReturned = try connection.prepare("UPDATE hook_addresses SET gone_at = NULL WHERE address = ?")
        nextHookAddress = try connection.prepare(
            "SELECT min(address) FROM hook_deliveries WHERE address > ? AND due_at IS NOT NULL"
        )
        hookGone = try connection.prepare("SELECT gone_at FROM hook_addresses WHERE address = ?")
        dropHooks = try connection.prepare(
            """
            DELETE FROM hook_deliveries WHERE id IN (
                SELECT id FROM hook_deliveries WHERE address = ? AND due_at IS NOT NULL AND queued_at < ?
                ORDER BY queued_at, id LIMIT 5000
            )
            """
        )

        findBroadcastKey = try connection.prepare(
            "SELECT request, position, count FROM broadcast_keys WHERE key = ? AND at > ?"
        )
        // Replaces a key that is too old to count and has not been deleted yet.
        putBroadcastKey = try connection.prepare(
            """
            INSERT INTO broadcast_keys (id, key, request, position, count, at)
            SELECT COALESCE(max(id), 0) + 1, ?, ?, ?, ?, ? FROM broadcast_keys WHERE true
            ON CONFLICT (key) DO UPDATE SET id = excluded.id, request = excluded.request,
                position = excluded.position, count = excluded.count, at = excluded.at
            """
        )
        forgetBroadcastKeys = try connection.prepare(
            """
            DELETE FROM broadcast_keys
            WHERE id IN (SELECT id FROM broadcast_keys WHERE at <= ? ORDER BY at, id LIMIT 100)
            """
        )
        limitBroadcastKeys = try connection.prepare(
            "DELETE FROM broadcast_keys WHERE id <= (SELECT max(id) FROM broadcast_keys) - ?"
        )
        putLocale = try connection.prepare(Insertion(into: "locales", "user, language, time_zone", replacing: 1))

        insertAct = try connection.prepare(Insertion(into: "audit", AuditRow.columns))

        // Ids that are digests remain after the user comes back, although the tombstones are removed.
        anyTombstone = try connection.prepare(
            "SELECT position FROM tombstones WHERE position > 0 ORDER BY position LIMIT 1"
        )
        anyErasedEvent = try connection.prepare(
            """
            SELECT position FROM \(connection.eventIDs)
            WHERE event >= 'erased:' AND event < 'erased;' ORDER BY event LIMIT 1
            """
        )
        putTombstone = try connection.prepare(
            """
            INSERT INTO tombstones (digest, position) VALUES (?, ?)
            ON CONFLICT (digest) DO UPDATE SET position = excluded.position
            """
        )
        deleteTombstone = try connection.prepare("DELETE FROM tombstones WHERE digest = ?")

        nextEnd = try connection.prepare("SELECT min(ends_at) FROM contracts WHERE ends_at IS NOT NULL")
        endedContracts = try connection.contracts(where: "ends_at <= ? ORDER BY ends_at, id LIMIT 500")
    }
}

func assignments(_ columns: [String]) -> String { columns.map { "\($0) = ?" }.joined(separator: ", ") }
