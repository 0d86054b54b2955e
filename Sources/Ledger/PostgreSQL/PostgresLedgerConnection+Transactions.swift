import Support

/// How a transaction begins, in a session that may have ended meanwhile.
extension PostgresLedgerConnection {
    /// What a transaction is for.
    enum Purpose {
        /// A batch. Nobody else writes meanwhile.
        case write
        /// Whether this node's last batch is in, once nobody else writes.
        case confirm
        /// Answers of one snapshot.
        case read
    }

    /// Begins, and returns the newest position.
    func transaction(to purpose: Purpose) throws(EngineError) -> Int64 {
        ahead = [:]
        writes = PendingWrites()
        reservation = nil
        let questions = first
        first = []
        let wasOpen = postgres.isOpen
        let start = ContinuousClock.now
        do throws(EngineError) {
            return try attempt(to: purpose, asking: questions)
        } catch  where wasOpen && !postgres.isOpen && ContinuousClock.now - start < PostgresLedgerConnection.moment {
            // A failover, a restart or a proxy ended the session while nobody used it. Nothing has been written, so a new one
            // does as well, and no page or webhook has to come again. Not after a long silence: it would wait twice.
            postgres.rollback()
            ahead = [:]
            return try attempt(to: purpose, asking: questions)
        }
    }

    private static let moment = Duration.seconds(1)

    private func attempt(to purpose: Purpose, asking questions: [Question]) throws(EngineError) -> Int64 {
        try connect()
        // Both before the snapshot, and of this attempt: what other threads learn after it need not be in it, and what they
        // learned before must be.
        let before = nodeState.seen
        let newest = nodeState.newestEntry
        try postgres.begin(purpose == .read ? "ISOLATION LEVEL REPEATABLE READ READ ONLY" : "")
        let readHead = "SELECT position, epoch FROM head"
        let lockHead = "SELECT position, epoch FROM head FOR UPDATE"
        let head = try postgres.send(postgres.text(purpose == .read ? readHead : lockHead))
        // A migration holds the head until it is done: a node that has not heard of it writes nothing into its tables.
        let schema = purpose == .write ? try postgres.send(postgres.text(StoredSchema.query)) : nil
        // Each sees what was committed before it is its turn: after the head is locked.
        try send(questions)
        let rows = try head.take()
        guard rows.count > 0 else {
            throw .ofTheLedger("it has no head", advice: "the ledger in PostgreSQL is damaged: restore a backup")
        }
        let (position, epoch) = (rows[0].integer(0), rows[0].text(1))
        try rows.check()
        if let tables = try schema?.take(), let refusal = StoredSchema(tables[0].text(0)).refusal {
            throw .ofTheLedger(refusal)
        }
        try nodeState.see(position, epoch: epoch, atLeast: before)
        try checkNewestEntry(newest)
        return position
    }

    private func connect() throws(EngineError) {
        guard !postgres.isOpen else { return }
        // It would fail again.
        if let lastFailure, monotonicNanoseconds() < mayConnectAt { throw lastFailure }
        do throws(EngineError) {
            try postgres.open()
            backoff.reset()
        } catch {
            lastFailure = error
            mayConnectAt = monotonicNanoseconds() + backoff.failed(jitter: .random(in: 0...1))
            throw error
        }
    }

    /// Runs something that needs no transaction. A pooler gives each transaction another session, whose settings, the
    /// tables' schema among them, are only those that it was begun with.
    func alone<Value>(_ body: () throws(EngineError) -> Value) throws(EngineError) -> Value {
        if postgres.isInTransaction { return try body() }
        try connect()
        guard postgres.isPooled else { return try body() }
        try postgres.begin()
        let value = try body()
        try postgres.commit()
        return value
    }
}
