internal import LedgerInterface
internal import LedgerSQL
internal import Postgres
internal import SharedLedger

/// How a transaction begins, in a session that may have ended meanwhile.
extension PostgresLedgerConnection {
    /// Begins, and returns the newest position.
    func transaction(_ mode: String, asking question: PostgresStatement) throws(EngineError) -> Int64 {
        ahead = [:]
        writes = PendingWrites()
        reservation = nil
        let questions = first
        first = []
        let wasOpen = postgres.isOpen
        try connect()
        // Both before the snapshot: what other threads learn after it need not be in it.
        let before = nodeState.seen
        let newest = nodeState.newestEntry
        let found = try engine { () throws(PostgresError) in
            do throws(PostgresError) {
                return try head(in: mode, asking: question, and: questions)
            } catch  where wasOpen && PostgresLedgerConnection.isEndOfSession(error) {
                // A failover ended it, a proxy, or the server when it restarted. Nothing has been asked in it, so a new
                // one does as well, and no page or webhook has to come again for that.
                postgres.rollback()
                ahead = [:]
                return try head(in: mode, asking: question, and: questions)
            }
        }
        guard let found else {
            throw .ofTheLedger("it has no head", advice: "the ledger in PostgreSQL is damaged: restore a backup")
        }
        try nodeState.see(found.position, epoch: found.epoch, atLeast: before)
        try checkNewestEntry(with: newest)
        return found.position
    }

    private static func isEndOfSession(_ error: PostgresError) -> Bool {
        error.kind == .connectionLost || error.kind == .shuttingDown
    }

    private func head(
        in mode: String,
        asking question: PostgresStatement,
        and questions: [Question]
    ) throws(PostgresError) -> (position: Int64, epoch: String)? {
        try postgres.begin(mode)
        let head = try question.send()
        // Each sees what was committed before it is its turn: after the head is locked.
        try send(questions)
        let rows = try head.take()
        guard rows.count > 0 else { return nil }
        let found = (position: rows[0].integer(0), epoch: rows[0].text(1))
        try rows.check()
        return found
    }

    private func connect() throws(EngineError) {
        guard !postgres.isOpen else { return }
        guard reconnection.delay == .zero else {
            throw .ofTheLedger(
                "the last attempt to connect failed a moment ago",
                advice: "PostgreSQL cannot be reached"
            )
        }
        do throws(PostgresError) {
            try postgres.open()
            reconnection = Reconnection()
        } catch {
            reconnection.failed()
            throw EngineError(error)
        }
    }

    /// Runs something that needs no transaction. A pooler gives each transaction another session, whose settings, the
    /// tables' schema among them, are only those that it was begun with.
    func alone<Value>(_ body: () throws(PostgresError) -> Value) throws(EngineError) -> Value {
        if postgres.isInTransaction { return try engine(body) }
        try connect()
        guard postgres.isPooled else { return try engine(body) }
        return try engine { () throws(PostgresError) in
            try postgres.begin()
            let value = try body()
            try postgres.commit()
            return value
        }
    }
}
