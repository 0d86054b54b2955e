import CPostgres

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

/// Whether a transaction was committed.
enum CommitOutcome: Equatable {
    case committed
    case refused(EngineError)
    case notReplicated(EngineError)
    case unknown(EngineError)

    /// From what was seen: the server's command tag (`COMMIT` or `ROLLBACK`), if it answered COMMIT, and the first failure
    /// of the preceding statements, or that of COMMIT. `isLost` if the session ended; `failure` says how.
    ///
    /// The server warns when the wait for a standby is cancelled, in the language of its `lc_messages`, and then answers
    /// COMMIT as if nothing were wrong: `SyncRepWaitForLSN` in
    /// https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/replication/syncrep.c
    init(tag: String?, failure: EngineError?, isLost: Bool, hasWarning: Bool) {
        if hasWarning, tag != "ROLLBACK" {
            let message = failure?.message ?? "committed here, but perhaps not on its standby"
            self = .notReplicated(EngineError(.notReplicated, sqlState: "01000", message, sql: "COMMIT"))
        } else if tag == "COMMIT" {
            // It counts even if the connection broke right after it.
            self = .committed
        } else if tag != nil {
            // The failure was thrown earlier, and no rollback followed.
            self = .refused(EngineError(.statement, sqlState: "25P02", "the transaction had failed", sql: "COMMIT"))
        } else if let failure, !isLost, failure.kind != .outcomeUnknown {
            self = .refused(failure)
        } else {
            // Even a server's last message proves nothing: a pooler may have sent it while the server went on.
            let failure = failure ?? EngineError(.outcomeUnknown, "it was closed")
            self = .unknown(failure.with(.outcomeUnknown, sql: "COMMIT"))
        }
    }
}
