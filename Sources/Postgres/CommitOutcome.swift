/// What was seen of a COMMIT's answer.
struct CommitEvidence {
    /// What the server says it has done, if it answered COMMIT: `COMMIT` or `ROLLBACK`.
    var tag: String?
    /// The first failure of the statements before it, or its own.
    var failure: PostgresError?
    /// The session ended; the failure says how.
    var isLost = false
    /// The server warned while it committed. It does so when the wait for a standby is cancelled, in the language of its
    /// `lc_messages` and then answers COMMIT as if all were well: `SyncRepWaitForLSN` in
    /// https://github.com/postgres/postgres/blob/REL_15_STABLE/src/backend/replication/syncrep.c
    var hasWarning = false
}

/// Whether a transaction is in.
enum CommitOutcome: Equatable {
    case committed
    case refused(PostgresError)
    case notReplicated(PostgresError)
    case unknown(PostgresError)

    init(_ evidence: CommitEvidence) {
        if evidence.hasWarning, evidence.tag != "ROLLBACK" {
            let message = evidence.failure?.message ?? "committed here, but perhaps not on its standby"
            self = .notReplicated(PostgresError(.notReplicated, sqlState: "01000", message, sql: "COMMIT"))
        } else if evidence.tag == "COMMIT" {
            // It counts even when the connection broke right behind it.
            self = .committed
        } else if evidence.tag != nil {
            // A failure that was thrown before, and not followed by a rollback.
            self = .refused(PostgresError(.other, sqlState: "25P02", "the transaction had failed", sql: "COMMIT"))
        } else if let failure = evidence.failure, !evidence.isLost, failure.kind != .outcomeUnknown {
            self = .refused(failure)
        } else {
            // Even a server's last words prove nothing: a pooler may have spoken them while the server went on.
            let failure = evidence.failure ?? PostgresError(.outcomeUnknown, "it was closed")
            self = .unknown(failure.with(.outcomeUnknown, sql: "COMMIT"))
        }
    }
}
