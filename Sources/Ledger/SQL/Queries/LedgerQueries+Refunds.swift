public import Domain

/// What a store asks about a refund, and what was answered.
public struct RefundQuestion: Sendable, Equatable {
    public enum State: String, Sendable {
        /// Nobody has answered.
        case open
        /// The answer is on its way.
        case waiting
        case sent
        /// No attempt to send the answer can succeed any more; somebody may answer otherwise.
        case failed
    }

    var id: Int64
    /// Its subject is the transaction: a `refundRequest`, or the `consumption` that answers it.
    public var job: Job
    public var state: State
    public var askedAt: Instant
    /// Who has the purchase now; nil if nobody is known.
    public var user: UserID?
    /// The store's id of the event that asked; nil if it was erased.
    public var event: String?
    public var position: Int64
    /// Why the store refused the answer; nil unless that has failed.
    public var refusal: String?
}

/// How an answer was taken.
public enum RefundAnswered: Sendable, Equatable {
    /// It goes to the store.
    case queued
    /// It was given before.
    case repeated(RefundQuestion.State)
    /// Somebody has answered otherwise.
    case otherwise
    /// Nothing is asked about the transaction, or not any more.
    case notAsked
}

extension LedgerQueries {
    /// Those that can still be answered, the most urgent first.
    func refundQuestions(limit: Int) throws(EngineError) -> [RefundQuestion] {
        try sql("\(RefundQuestion.open) ORDER BY deadline, jobs.id LIMIT ?")
            .all([Value(now), Value(Job.Kind.refundRequest), .integer(Int64(limit))], read: RefundQuestion.read)
    }

    /// Those about a user's purchases.
    func refundQuestions(of user: UserID) throws(EngineError) -> [RefundQuestion] {
        try sql("\(RefundQuestion.open) AND contracts.user = ? ORDER BY deadline, jobs.id LIMIT 20")
            .all([Value(now), Value(Job.Kind.refundRequest), Value(user)], read: RefundQuestion.read)
    }

    /// The question about a transaction, if it can still be answered.
    public func openRefundQuestion(
        about transaction: String,
        at provider: Provider
    ) throws(EngineError) -> RefundQuestion? {
        guard let question = try sql.refundQuestion(about: transaction, at: provider),
            question.state == .open || question.state == .failed, let deadline = question.job.deadline, deadline > now
        else { return nil }
        return question
    }

    /// The newest question about a transaction, whether or not it is answered.
    public func refundQuestion(
        about transaction: String,
        at provider: Provider
    ) throws(EngineError) -> RefundQuestion? {
        try sql.refundQuestion(about: transaction, at: provider)
    }
}

extension LedgerSQL {
    /// The kinds are no words of this statement, nor of others by subject: PostgreSQL would walk through `jobs_about_refunds`.
    func refundQuestion(about transaction: String, at provider: Provider) throws(EngineError) -> RefundQuestion? {
        try self(
            """
            SELECT \(RefundQuestion.columns) FROM jobs \(RefundQuestion.owner)
            WHERE subject = ? AND jobs.provider = ? AND jobs.kind IN (?, ?)
            """
        ).all(RefundQuestion.subject(transaction, at: provider), read: RefundQuestion.read).max { $0.id < $1.id }
    }
}

extension LedgerRepository {
    /// Makes a question the job of sending its answer. One that the store has refused may be answered otherwise.
    public mutating func answerRefund(
        of transaction: String,
        at provider: Provider,
        _ answer: String,
        now: Instant
    ) throws(EngineError) -> RefundAnswered {
        guard let question = try sql.refundQuestion(about: transaction, at: provider) else { return .notAsked }
        let isAnswer = question.job.kind == .consumption
        let isSame = isAnswer && question.job.detail?.hasSameBytes(as: answer) == true
        if isSame, question.state != .failed { return .repeated(question.state) }
        guard let deadline = question.job.deadline, deadline > now else { return .notAsked }
        guard question.state == .open || question.state == .failed else { return .otherwise }
        // An answer to an earlier question about the transaction may have been the same.
        try sql("DELETE FROM jobs WHERE subject = ? AND kind = ? AND provider = ? AND id <> ?")
            .run([.text(transaction), Value(Job.Kind.consumption), Value(provider), .integer(question.id)])
        try sql(
            """
            UPDATE jobs SET kind = ?, detail = ?, attempts = 0, due_at = ?, reason = NULL, abandoned_at = NULL
            WHERE id = ?
            """
        ).run([Value(Job.Kind.consumption), .text(answer), Value(now), .integer(question.id)])
        if let act { try note(act, at: now) }
        return .queued
    }

    /// Whether a question is still to be asked. The store repeats one under new ids; the answer to it counts for all.
    func isNews(_ question: Job, at now: Instant) throws(EngineError) -> Bool {
        let known = try sql("SELECT 1 FROM jobs WHERE subject = ? AND provider = ? AND kind IN (?, ?) AND deadline > ?")
            .first(RefundQuestion.subject(question.subject, at: question.provider) + [Value(now)]) { _ in true }
        guard known == nil else { return false }
        // One that is too late, and that the leader has not come across yet.
        try sql("DELETE FROM jobs WHERE subject = ? AND provider = ? AND kind = ?")
            .run([.text(question.subject), Value(question.provider), Value(Job.Kind.refundRequest)])
        return true
    }

    /// The store has decided: it asks no more, and reads no answer. What it asks after that is a question of its own, so the answer
    /// to this one is forgotten, and a decision that comes late ends no question that was signed after it.
    func endRefundQuestion(
        about transaction: String,
        at provider: Provider,
        decidedAt decision: Instant
    ) throws(EngineError) {
        try sql(
            """
            DELETE FROM jobs WHERE subject = ? AND provider = ? AND kind IN (?, ?)
                AND COALESCE((SELECT signed_at FROM events WHERE events.position = jobs.position), 0) <= ?
            """
        ).run(RefundQuestion.subject(transaction, at: provider) + [Value(decision)])
    }
}

extension RefundQuestion {
    /// Of a transaction's questions and answers: its id, the store, and both kinds.
    fileprivate static func subject(_ transaction: String, at provider: Provider) -> [Value] {
        [.text(transaction), Value(provider), Value(Job.Kind.refundRequest), Value(Job.Kind.consumption)]
    }

    fileprivate static let columns = """
        jobs.id, jobs.kind, jobs.provider, jobs.environment, jobs.app, subject, detail, deadline, queued_at, due_at, reason,
        contracts.user, event, jobs.position
        """

    /// The contract of the event that asked has the owner of now.
    fileprivate static let owner = """
        LEFT JOIN events ON events.position = jobs.position LEFT JOIN contracts ON contracts.id = events.contract
        """

    /// Also those whose answer the store refused. What was refunded since needs no answer.
    fileprivate static let open = """
        SELECT \(columns) FROM jobs \(owner)
        WHERE jobs.kind IN (\(Job.refunds)) AND deadline > ?
            AND (jobs.kind = ? OR due_at IS NULL AND reason IS NOT NULL)
            AND (charge_revoked_at IS NULL OR charge_id <> subject)
        """

    fileprivate static func read(_ row: inout Row) throws(EngineError) -> RefundQuestion {
        let id = row.integer()
        let job = try Job(&row)
        let askedAt = row.instant()
        let (isDue, reason) = (row.optionalInstant() != nil, row.optionalText())
        let state: State = job.kind == .refundRequest ? .open : isDue ? .waiting : reason != nil ? .failed : .sent
        return RefundQuestion(
            id: id,
            job: job,
            state: state,
            askedAt: askedAt,
            user: row.optionalText().map { UserID($0) },
            event: row.optionalText(),
            position: row.integer(),
            refusal: state == .failed ? reason : nil
        )
    }
}
