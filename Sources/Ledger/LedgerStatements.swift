/// All SQL of the writer, prepared once. The tables are in `Schema`.
struct WriterStatements {
    let begin, commit, rollback, savepoint, release, rollbackTo: Statement
    let epoch, unclaimed, setUnclaimed: Statement
    let head, insertEntry, insertFragment: Statement
    let findEvent, insertEvent: Statement
    let findOrder, findRequest, insertOrder, widenOrder: Statement
    let findContract, insertContract, updateIdentity, updateState: Statement
    let otherContracts, userOfLineage, userOfAppTransaction: Statement
    let waitingByToken, waitingByLineage, waitingByAppTransaction: Statement
    let nextEnd, endedContracts: Statement

    init(_ connection: borrowing Connection) throws(SQLiteError) {
        begin = try connection.prepare("BEGIN IMMEDIATE")
        commit = try connection.prepare("COMMIT")
        rollback = try connection.prepare("ROLLBACK")
        savepoint = try connection.prepare("SAVEPOINT command")
        release = try connection.prepare("RELEASE command")
        rollbackTo = try connection.prepare("ROLLBACK TO command")

        epoch = try connection.prepare("SELECT value FROM meta WHERE key = 'epoch'")
        unclaimed = try connection.prepare("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'unclaimed'")
        setUnclaimed = try connection.prepare("UPDATE meta SET value = ? WHERE key = 'unclaimed'")

        head = try connection.prepare("SELECT max(position) FROM entries")
        insertEntry = try connection.prepare(
            "INSERT INTO entries (\(EntryRow.columns)) VALUES (\(marks(EntryRow.count)))"
        )
        insertFragment = try connection.prepare(
            "INSERT INTO fragments (\(FragmentRow.columns)) VALUES (\(marks(FragmentRow.count)))"
        )

        findEvent = try connection.prepare(
            "SELECT position FROM events WHERE event = ? AND provider = ? AND environment = ?"
        )
        insertEvent = try connection.prepare(
            """
            INSERT INTO events (position, provider, environment, event, app, signed_at, received_at, body)
            VALUES (\(marks(8)))
            """
        )

        findOrder = try connection.prepare("SELECT \(OrderRow.columns) FROM orders WHERE token = ?")
        findRequest = try connection.prepare(
            """
            SELECT \(OrderRow.columns) FROM orders
            WHERE user = ? AND product = ? AND provider IS ? AND product_group IS ? AND kind IS ?
            ORDER BY created_at LIMIT 1
            """
        )
        insertOrder = try connection.prepare(
            "INSERT INTO orders (\(OrderRow.columns), created_at) VALUES (\(marks(7)))"
        )
        widenOrder = try connection.prepare(
            "UPDATE orders SET product = ?, provider = ?, product_group = ?, kind = ? WHERE token = ?"
        )

        findContract = try connection.prepare(
            """
            SELECT id, \(ContractRow.columns) FROM contracts
            WHERE lineage = ? AND provider = ? AND environment = ? AND app = ?
            """
        )
        insertContract = try connection.prepare(
            "INSERT INTO contracts (\(ContractRow.columns)) VALUES (\(marks(ContractRow.count)))"
        )
        updateIdentity = try connection.prepare(
            "UPDATE contracts SET \(assignments(ContractRow.identityColumns)) WHERE id = ?"
        )
        updateState = try connection.prepare(
            "UPDATE contracts SET \(assignments(ContractRow.stateColumns)) WHERE id = ?"
        )
        otherContracts = try connection.prepare(
            """
            SELECT id, \(ContractRow.columns) FROM contracts
            WHERE user = ? AND kind IN ('subscription', 'non_renewing', 'non_consumable') AND id IS NOT ?
            """
        )
        userOfLineage = try connection.prepare(
            "SELECT user FROM contracts WHERE lineage = ? AND provider = ? AND environment = ? AND app = ?"
        )
        userOfAppTransaction = try connection.prepare(
            """
            SELECT user FROM contracts
            WHERE app_transaction = ? AND provider = ? AND environment = ? AND app = ? AND user IS NOT NULL
            ORDER BY id DESC LIMIT 1
            """
        )
        waitingByToken = try connection.prepare(
            "SELECT id, \(ContractRow.columns) FROM contracts WHERE token = ? AND user IS NULL LIMIT 100"
        )
        waitingByLineage = try connection.prepare(
            """
            SELECT id, \(ContractRow.columns) FROM contracts
            WHERE previous_lineage = ? AND provider = ? AND environment = ? AND app = ? AND user IS NULL LIMIT 100
            """
        )
        waitingByAppTransaction = try connection.prepare(
            """
            SELECT id, \(ContractRow.columns) FROM contracts
            WHERE app_transaction = ? AND provider = ? AND environment = ? AND app = ? AND user IS NULL LIMIT 100
            """
        )

        nextEnd = try connection.prepare("SELECT min(ends_at) FROM contracts WHERE ends_at IS NOT NULL")
        endedContracts = try connection.prepare(
            "SELECT id, \(ContractRow.columns) FROM contracts WHERE ends_at <= ? ORDER BY ends_at LIMIT 500"
        )
    }
}

/// All SQL of the reader, prepared once.
struct ReaderStatements {
    let begin, commit, epoch, head: Statement
    let committedUpTo: Statement
    let entriesAfter, fragmentsBetween: Statement
    let nextKey, fragmentsOfKey, newestOfKey: Statement
    let userContracts, userConsumables: Statement

    init(_ connection: borrowing Connection) throws(SQLiteError) {
        begin = try connection.prepare("BEGIN")
        commit = try connection.prepare("COMMIT")
        epoch = try connection.prepare("SELECT value FROM meta WHERE key = 'epoch'")
        head = try connection.prepare("SELECT max(position) FROM entries")

        committedUpTo = try connection.prepare(
            "SELECT committed_at FROM entries WHERE position <= ? ORDER BY position DESC LIMIT 1"
        )
        entriesAfter = try connection.prepare(
            "SELECT position, \(EntryRow.columns) FROM entries WHERE position > ? ORDER BY position LIMIT ?"
        )
        fragmentsBetween = try connection.prepare(
            """
            SELECT \(FragmentRow.columns) FROM fragments WHERE position BETWEEN ? AND ? ORDER BY position
            """
        )

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
            SELECT \(FragmentRow.columns) FROM fragments
            WHERE stream = ? AND collapse_key = ? AND position > ? ORDER BY position DESC, ordinal DESC LIMIT 1
            """
        )

        userContracts = try connection.prepare(
            """
            SELECT id, \(ContractRow.columns) FROM contracts
            WHERE user = ? AND kind IN ('subscription', 'non_renewing', 'non_consumable')
            """
        )
        userConsumables = try connection.prepare(
            """
            SELECT id, \(ContractRow.columns) FROM contracts
            WHERE user = ? AND kind = 'consumable' ORDER BY id DESC LIMIT ?
            """
        )
    }
}

private func marks(_ count: Int) -> String {
    Array(repeating: "?", count: count).joined(separator: ", ")
}

private func assignments(_ columns: [String]) -> String {
    columns.map { "\($0) = ?" }.joined(separator: ", ")
}
