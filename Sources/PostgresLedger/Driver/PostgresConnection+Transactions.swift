import CPostgres
public import Ledger

extension PostgresConnection {
    /// Queues BEGIN; `mode` may be `ISOLATION LEVEL REPEATABLE READ READ ONLY`, for example.
    public func begin(_ mode: String = "") throws(EngineError) {
        try queue(StatementText(name: nil, sql: mode.isEmpty ? "BEGIN" : "BEGIN " + mode), [])
        transaction = .open
        guard isPooled else { return }
        for (name, value) in options.session {
            let sql = "SELECT pg_catalog.set_config($1, $2, true)"
            try queue(StatementText(name: nil, sql: sql), [.text(name), .text(value)])
        }
    }

    /// Sends COMMIT after everything that is queued, and returns once the transaction is safe.
    ///
    /// If this throws, nothing was committed, unless the error's kind is `outcomeUnknown` or `notReplicated`; the
    /// session is then dropped without cancelling anything. After other errors, `rollback` may still be due: see
    /// `isInTransaction`.
    public func commit() throws(EngineError) {
        if case .lost(let error) = transaction { throw error }
        guard let session = current, transaction == .open else {
            throw EngineError(.statement, "COMMIT without a transaction")
        }
        var failure: EngineError?
        var isLost = false
        let answer = PostgresAnswer(to: "COMMIT")
        session.notices.warning = nil
        do throws(EngineError) {
            try session.send(StatementText(name: nil, sql: "COMMIT"), [], answer: answer)
            try session.waitForAnswers(within: options.commit)
        } catch {
            failure = error
            isLost = session.isBroken || session.isUnusable
        }
        let hasWarning = session.notices.warning != nil
        switch CommitOutcome(tag: answer.tag, failure: failure, isLost: isLost, hasWarning: hasWarning) {
        case .committed: if isLost { close() } else { noteTransaction() }
        case .refused(let error):
            // Another host may be the primary by now.
            if error.kind == .readOnly { close() } else { noteTransaction() }
            throw error
        case .notReplicated(let error), .unknown(let error):
            close()
            throw error
        }
    }

    /// Ends a transaction that has only read. Does not wait.
    public func leave() {
        guard transaction == .open, let session = current, session.pending.isEmpty,
            PQtransactionStatus(session.handle) == PQTRANS_INTRANS
        else { return rollback() }
        do throws(EngineError) {
            try session.send(StatementText(name: nil, sql: "ROLLBACK"), [])
            try session.post()
            transaction = .none
        } catch {
            close()
        }
    }

    /// Ends the transaction, if there is one, without committing it. A session that cannot do so is dropped, which has
    /// the same effect.
    public func rollback() {
        guard transaction == .open, let session = current else { return transaction = .none }
        try? session.waitForAnswers()
        do throws(EngineError) {
            try session.send(StatementText(name: nil, sql: "ROLLBACK"), [])
            try session.waitForAnswers()
            noteTransaction()
        } catch {
            close()
        }
        if isInTransaction { close() }
    }
}
