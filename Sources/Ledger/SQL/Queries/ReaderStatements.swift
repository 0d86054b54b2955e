import Domain

/// All SQL of the reader, prepared once, in the dialect that SQLite and PostgreSQL share. Each statement finds its rows by
/// an index.
struct ReaderStatements {
    let common: CommonSQL
    let tombstonesAfter, entriesAfter, entriesOfUser, entriesBefore, newestOfUser, entriesBetween: Statement
    let fragmentsBetween, fragmentsAt: Statement
    let committedUpTo, lost, nextKey, fragmentsOfKey, newestOfKey, fragmentAt: Statement
    let userConsumables, sharedConsumables: Statement
    let bodyAt, entryAt, datesOfEvent, entriesOfUserBefore, unclaimedBefore, shownBefore, newestContracts: Statement
    let newestShared: Statement
    let eventsByID, eventsByContract, eventsAfter, positionOfEvent, datesOfContractBefore, newestEvent: Statement
    let contractIDsOfUser, contractIDsSharedWith: Statement
    let contractsByName, contractsByAccount, contractsByOrderNumber: Statement
    let contradictingBefore, newestOrders, orderByToken, contractsByToken, tokenDate, firstEvents: Statement
    let entriesInDoubt, entriesUnclaimed, broadcastKey, urgentJobs, abandonedJobs: Statement
    let nextDestination, isDue, dueJobs, jobCount, nextJob, nextDeadline, newestJob, outlasting: Statement
    let dueHooks, hookByID, hooks, hooksByState, hooksByUser, hookAddress, hookCount, oldestHook: Statement
    let auditOfUser, auditOfActor, auditOfAll, lastAct, actUpTo: Statement

    init(_ connection: any LedgerConnection) throws(EngineError) {
        common = try CommonSQL(connection)

        tombstonesAfter = try connection.prepare("SELECT digest FROM tombstones WHERE position > ?")
        func entries(_ start: String, _ end: String, order: String) throws(EngineError) -> Statement {
            try connection.entries(
                where: "\(start) AND \(EntrySelection.condition) AND \(end) ORDER BY position \(order)"
            )
        }
        entriesAfter = try entries("position > ?1", "position < ?7", order: "LIMIT ?8")
        entriesBefore = try entries("position > ?1", "position < ?7", order: "DESC LIMIT ?8")
        entriesOfUser = try entries("user = ?1", "position > ?7 AND position < ?8", order: "LIMIT ?9")
        newestOfUser = try entries("user = ?1", "position > ?7 AND position < ?8", order: "DESC LIMIT ?9")
        entriesBetween = try connection.entries(where: "position > ? AND position <= ? ORDER BY position")
        fragmentsBetween = try connection.prepare(
            "SELECT \(FragmentRow.columns) FROM fragments WHERE position > ? AND position <= ?"
        )
        fragmentsAt = try connection.prepare("SELECT \(FragmentRow.columns) FROM fragments WHERE position = ?")

        committedUpTo = try connection.prepare(
            "SELECT committed_at FROM entries WHERE position <= ? ORDER BY position DESC LIMIT 1"
        )
        lost = try connection.prepare("SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'broadcasts_lost'")
        nextKey = try connection.prepare(
            "SELECT collapse_key FROM fragments WHERE stream = ? AND collapse_key > ? ORDER BY collapse_key LIMIT 1"
        )
        fragmentsOfKey = try connection.prepare(
            """
            SELECT \(FragmentRow.columns) FROM fragments
            WHERE stream = ? AND collapse_key = ? AND position > ? ORDER BY position, ordinal LIMIT ?
            """
        )
        newestOfKey = try connection.prepare(
            """
            SELECT position, ordinal FROM fragments
            WHERE stream = ? AND collapse_key = ? AND position > ? ORDER BY position DESC, ordinal DESC LIMIT 1
            """
        )
        fragmentAt = try connection.prepare(
            """
            SELECT \(FragmentRow.columns) FROM fragments
            WHERE stream = ? AND collapse_key = ? AND position = ? AND ordinal = ?
            """
        )

        userConsumables = try connection.contracts(where: "user = ? AND kind = 'consumable' ORDER BY id DESC LIMIT ?")
        sharedConsumables = try connection.contracts(
            where: "id IN (SELECT contract FROM shares WHERE user = ?) AND kind = 'consumable' ORDER BY id DESC LIMIT ?"
        )

        bodyAt = try connection.prepare(
            "SELECT \(StoredBody.columns) FROM events WHERE position = ? AND length(body) > 0"
        )
        entryAt = try connection.entries(where: "position = ?")
        datesOfEvent = try connection.prepare("SELECT signed_at, received_at FROM events WHERE position = ?")
        entriesOfUserBefore = try connection.prepare(
            "SELECT position FROM entries WHERE user = ? AND position < ? ORDER BY position DESC LIMIT ?"
        )
        unclaimedBefore = try connection.prepare(
            """
            SELECT position FROM entries
            WHERE contract = ? AND provider = ? AND environment = ? AND user IS NULL AND position < ?
            ORDER BY position DESC LIMIT ?
            """
        )
        shownBefore = try connection.prepare(
            """
            SELECT position FROM fragments
            WHERE stream = ? AND collapse_key = ? AND position < ? ORDER BY position DESC LIMIT ?
            """
        )
        newestContracts = try connection.prepare(
            "SELECT lineage, provider, environment FROM contracts WHERE user = ? ORDER BY kind DESC, id DESC LIMIT ?"
        )
        newestShared = try connection.prepare(
            """
            SELECT lineage, provider, environment FROM contracts
            WHERE id IN (SELECT contract FROM shares WHERE user = ?) ORDER BY id DESC LIMIT ?
            """
        )

        eventsByID = try connection.prepare(
            """
            SELECT \(StoredEvent.columns) FROM events
            WHERE position IN (SELECT position FROM \(connection.eventIDs) WHERE event = ?)
                AND position > ? AND position <= ?
            """
        )
        eventsByContract = try connection.prepare(
            """
            SELECT \(StoredEvent.columns) FROM events
            WHERE contract = ? AND position > ? AND position <= ? ORDER BY position LIMIT ?
            """
        )
        eventsAfter = try connection.prepare(
            "SELECT \(StoredEvent.columns) FROM events WHERE position > ? AND position <= ? ORDER BY position LIMIT ?"
        )
        positionOfEvent = try connection.prepare("SELECT max(position) FROM \(connection.eventIDs) WHERE event = ?")
        datesOfContractBefore = try connection.prepare(
            "SELECT position, signed_at FROM events WHERE contract = ? AND position < ? ORDER BY position DESC LIMIT ?"
        )
        contractIDsOfUser = try connection.prepare("SELECT id FROM contracts WHERE user = ?")
        contractIDsSharedWith = try connection.prepare("SELECT contract FROM shares WHERE user = ?")
        newestEvent = try connection.prepare("SELECT max(position) FROM events WHERE contract = ? AND position <= ?")

        contractsByName = try connection.contracts(where: "lineage = ? ORDER BY provider, environment, app LIMIT ?")
        contractsByAccount = try connection.contracts(where: "account = ? ORDER BY id LIMIT ?")
        contractsByOrderNumber = try connection.contracts(where: "order_number = ? ORDER BY id LIMIT ?")

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

        entriesInDoubt = try connection.entries(
            where: """
                outcome = ? AND outcome IN ('unclaimed', 'quarantined') AND event IS NOT NULL
                ORDER BY position DESC LIMIT ?
                """
        )
        // One of the newest 5,000, whose contract has no user. The subquery that counts is never made a join, which could
        // read all contracts.
        entriesUnclaimed = try connection.entries(
            where: """
                outcome = 'unclaimed' AND outcome IN ('unclaimed', 'quarantined') AND position < ?
                AND position >= COALESCE((
                    SELECT position FROM entries
                    WHERE outcome = 'unclaimed' AND outcome IN ('unclaimed', 'quarantined')
                    ORDER BY position DESC LIMIT 1 OFFSET 4999
                ), 0) AND (
                    SELECT count(*) FROM contracts WHERE contracts.lineage = entries.contract
                        AND contracts.provider = entries.provider AND contracts.environment = entries.environment
                        AND contracts.user IS NULL
                ) > 0
                ORDER BY position DESC LIMIT ?
                """
        )
        broadcastKey = try connection.prepare("SELECT 1 FROM broadcast_keys WHERE key = ?")
        urgentJobs = try connection.prepare(
            """
            SELECT \(TroubledJob.columns) FROM jobs
            WHERE deadline < ? AND due_at IS NOT NULL ORDER BY deadline LIMIT ?
            """
        )
        abandonedJobs = try connection.prepare(
            "SELECT \(TroubledJob.columns) FROM jobs WHERE abandoned_at > 0 ORDER BY abandoned_at DESC LIMIT ?"
        )

        nextDestination = try connection.prepare(
            "SELECT destination FROM jobs WHERE destination > ? AND due_at IS NOT NULL ORDER BY destination LIMIT 1"
        )
        isDue = try connection.prepare("SELECT 1 FROM jobs WHERE destination = ? AND due_at <= ? LIMIT 1")
        dueJobs = try connection.prepare(
            """
            SELECT id, kind, jobs.provider, jobs.environment, jobs.app, subject, detail, deadline, attempts,
                queued_at, CASE kind WHEN 'forward' THEN body END,
                CASE kind WHEN 'forward' THEN (SELECT text FROM headers WHERE digest = header) END
            FROM jobs LEFT JOIN events ON events.position = jobs.position
            WHERE destination = ? AND due_at <= ? ORDER BY due_at, id LIMIT ?
            """
        )
        jobCount = try connection.prepare(
            """
            SELECT count(*) FROM (
                SELECT due_at FROM jobs WHERE due_at > 0 ORDER BY due_at LIMIT \(JobBacklog.countLimit)
            ) AS waiting
            """
        )
        nextJob = try connection.prepare("SELECT min(due_at) FROM jobs WHERE due_at > 0")
        nextDeadline = try connection.prepare("SELECT min(deadline) FROM jobs WHERE due_at IS NOT NULL")
        newestJob = try connection.prepare("SELECT max(id) FROM jobs")
        outlasting = try connection.prepare(
            """
            SELECT provider, environment, app, lineage FROM contracts
            WHERE ends_at > ? AND ends_at <= ? AND access_until <= ? AND provider = ?
            ORDER BY ends_at, id LIMIT ?
            """
        )

        dueHooks = try connection.prepare(
            """
            SELECT \(HookDelivery.columnsDue), CASE WHEN EXISTS (
                    SELECT 1 FROM contracts WHERE contracts.user = due.user AND contracts.kind = 'consumable'
                ) OR EXISTS (SELECT 1 FROM shares WHERE shares.user = due.user) THEN 1 ELSE 0 END,
                due.position, \(EntryRow.qualifiedColumns)
            FROM hook_deliveries AS due JOIN entries ON entries.position = due.position
            WHERE address = ? AND due_at <= ? AND NOT EXISTS (
                SELECT 1 FROM hook_deliveries AS earlier
                WHERE earlier.user = due.user AND earlier.address = due.address AND earlier.due_at IS NOT NULL
                    AND earlier.position < due.position
            ) ORDER BY queued_at, due.id LIMIT ?
            """
        )
        hookByID = try connection.prepare("SELECT \(HookDelivery.columns) FROM hook_deliveries WHERE id = ?")
        hooks = try connection.prepare(
            "SELECT \(HookDelivery.columns) FROM hook_deliveries WHERE id < ? ORDER BY id DESC LIMIT ?"
        )
        hooksByState = try connection.prepare(
            "SELECT \(HookDelivery.columns) FROM hook_deliveries WHERE state = ? AND id < ? ORDER BY id DESC LIMIT ?"
        )
        hooksByUser = try connection.prepare(
            "SELECT \(HookDelivery.columns) FROM hook_deliveries WHERE user = ? ORDER BY address, type"
        )
        hookAddress = try connection.prepare(
            "SELECT accepted_at, failures, failing_since, gone_at, reason FROM hook_addresses WHERE address = ?"
        )
        hookCount = try connection.prepare(
            """
            SELECT count(*) FROM (
                SELECT queued_at FROM hook_deliveries WHERE address = ? AND due_at IS NOT NULL ORDER BY queued_at LIMIT ?
            ) AS waiting
            """
        )
        oldestHook = try connection.prepare(
            "SELECT min(queued_at) FROM hook_deliveries WHERE address = ? AND due_at IS NOT NULL"
        )

        auditOfUser = try connection.prepare(
            """
            SELECT id, \(AuditRow.columns) FROM audit
            WHERE user = ?1 AND (actor = ?2 OR ?2 IS NULL) AND id > ?3 AND id < ?4 ORDER BY id DESC LIMIT ?5
            """
        )
        auditOfActor = try connection.prepare(
            "SELECT id, \(AuditRow.columns) FROM audit WHERE actor = ? AND id > ? AND id < ? ORDER BY id DESC LIMIT ?"
        )
        auditOfAll = try connection.prepare(
            "SELECT id, \(AuditRow.columns) FROM audit WHERE id > ? AND id < ? ORDER BY id DESC LIMIT ?"
        )
        lastAct = try connection.prepare("SELECT max(id) FROM audit")
        actUpTo = try connection.prepare("SELECT at FROM audit WHERE id <= ? ORDER BY id DESC LIMIT 1")
    }
}

/// What the writer asks as well.
struct CommonSQL {
    let erasureKey, tombstone, language, mark, unclaimed: Statement
    let contractByID, contractsOfUser, contractsSharedWith, shares: Statement

    init(_ connection: any LedgerConnection) throws(EngineError) {
        erasureKey = try connection.prepare("SELECT value FROM meta WHERE key = 'erasure_key'")
        tombstone = try connection.prepare("SELECT position FROM tombstones WHERE digest = ?")
        language = try connection.prepare("SELECT tag FROM languages WHERE user = ?")
        mark = try connection.prepare("SELECT at FROM marks WHERE name = ?")
        unclaimed = try connection.prepare("SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'unclaimed'")
        contractByID = try connection.contracts(where: "id = ?")
        contractsOfUser = try connection.contracts(where: "user = ? AND \(ContractRow.lasting) ORDER BY kind, id")
        contractsSharedWith = try connection.contracts(
            where: "id IN (SELECT contract FROM shares WHERE user = ?) AND \(ContractRow.lasting) ORDER BY id"
        )
        shares = try connection.prepare("SELECT user FROM shares WHERE contract = ? ORDER BY ordinal")
    }
}
