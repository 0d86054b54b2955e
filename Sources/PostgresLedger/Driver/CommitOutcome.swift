import Ledger

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
