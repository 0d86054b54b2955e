import Ledger

/// The evidence of a COMMIT's outcome.
struct CommitEvidence {
    /// The server's command tag, if it answered COMMIT: `COMMIT` or `ROLLBACK`.
    var tag: String?
    /// The first failure of the preceding statements, or that of COMMIT.
    var failure: EngineError?
    /// True if the session ended; `failure` says how.
    var isLost = false
    /// The server warned during the commit. It does so when the wait for a standby is cancelled, in the language of its
    /// `lc_messages`, and then answers COMMIT as if nothing were wrong: `SyncRepWaitForLSN` in
    /// https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/replication/syncrep.c
    var hasWarning = false
}

/// Whether a transaction was committed.
enum CommitOutcome: Equatable {
    case committed
    case refused(EngineError)
    case notReplicated(EngineError)
    case unknown(EngineError)

    init(_ evidence: CommitEvidence) {
        if evidence.hasWarning, evidence.tag != "ROLLBACK" {
            let message = evidence.failure?.message ?? "committed here, but perhaps not on its standby"
            self = .notReplicated(EngineError(.notReplicated, sqlState: "01000", message, sql: "COMMIT"))
        } else if evidence.tag == "COMMIT" {
            // It counts even if the connection broke right after it.
            self = .committed
        } else if evidence.tag != nil {
            // The failure was thrown earlier, and no rollback followed.
            self = .refused(EngineError(.statement, sqlState: "25P02", "the transaction had failed", sql: "COMMIT"))
        } else if let failure = evidence.failure, !evidence.isLost, failure.kind != .outcomeUnknown {
            self = .refused(failure)
        } else {
            // Even a server's last message proves nothing: a pooler may have sent it while the server went on.
            let failure = evidence.failure ?? EngineError(.outcomeUnknown, "it was closed")
            self = .unknown(failure.with(.outcomeUnknown, sql: "COMMIT"))
        }
    }
}
