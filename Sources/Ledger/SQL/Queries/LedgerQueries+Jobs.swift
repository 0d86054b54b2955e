public import Domain

/// A job that waits for its turn.
public struct QueuedJob: Sendable, Equatable {
    public var id: Int64
    public var job: Job
    /// The number of failed attempts.
    public var attempts: Int
    public var queuedAt: Instant
    /// The event's body, for `forward` only.
    public var body: [UInt8]?
}

/// The jobs that stores and staging servers still wait for.
public struct JobBacklog: Sendable, Equatable {
    /// At most `countLimit`: counting that many takes 10 ms, and while a destination is down there may be millions.
    public var waiting = 0
    public static let countLimit = 100_000
    /// When the next job is due.
    public var next: Instant?
    /// The first deadline of a waiting job. Questions about refunds do not count: nobody is woken for them.
    public var nearestDeadline: Instant?
    /// The id of the newest job that is still stored.
    public var newest: Int64
}

extension JobBacklog {
    public init() { self.init(newest: 0) }
}

/// How an attempt at a job ended.
public enum JobResult: Sendable, Equatable {
    case done
    /// Remembered for a month, so that a repeated request finds what was done.
    case doneAndKept
    case retry(at: Instant, reason: String)
    /// No attempt can succeed any more. The job is kept for a month, for the operator.
    case abandoned(reason: String)
}

extension LedgerQueries {
    /// The destinations that have jobs due. Jumps from one to the next, however many jobs each has.
    public func jobDestinations(dueAt now: Instant) throws(EngineError) -> [Job.Destination] {
        var due = [Job.Destination]()
        var last = ""
        while let name = try sql(
            "SELECT destination FROM jobs WHERE destination > ? AND due_at IS NOT NULL ORDER BY destination LIMIT 1"
        ).first([.text(last)], read: { row in row.text() }) {
            let isDue = try sql("SELECT 1 FROM jobs WHERE destination = ? AND due_at <= ? LIMIT 1")
                .first([.text(name), Value(now)]) { _ in true }
            if isDue != nil { due.append(Job.Destination(column: name)) }
            last = name
        }
        return due
    }

    /// One destination's jobs that are due, earliest first.
    public func jobs(
        dueAt now: Instant,
        to destination: Job.Destination,
        limit: Int
    ) throws(EngineError) -> [QueuedJob] {
        try sql(
            """
            SELECT id, kind, jobs.provider, jobs.environment, jobs.app, subject, detail, deadline, attempts,
                queued_at, CASE kind WHEN 'forward' THEN body END,
                CASE kind WHEN 'forward' THEN (SELECT text FROM headers WHERE digest = header) END
            FROM jobs LEFT JOIN events ON events.position = jobs.position
            WHERE destination = ? AND due_at <= ? ORDER BY due_at, id LIMIT ?
            """
        ).all([.text(destination.column), Value(now), .integer(Int64(limit))], read: QueuedJob.read)
    }

    /// Counting reads all waiting jobs, and this is asked every second. So the count in `previous`, the last answer, is kept
    /// unless a job was added or the time of the next one has changed.
    public func jobBacklog(after previous: JobBacklog? = nil) throws(EngineError) -> JobBacklog {
        var backlog = JobBacklog(
            next: try sql("SELECT min(due_at) FROM jobs WHERE due_at > 0").first { $0.optionalInstant() } ?? nil,
            nearestDeadline: try sql(
                """
                SELECT min(deadline) FROM jobs
                WHERE deadline > 0 AND due_at IS NOT NULL AND kind NOT IN (\(Job.refunds))
                """
            ).first { $0.optionalInstant() } ?? nil,
            newest: try sql("SELECT max(id) FROM jobs").first { row in row.integer() } ?? 0
        )
        if let previous, (previous.newest, previous.next) == (backlog.newest, backlog.next) {
            backlog.waiting = previous.waiting
        } else {
            let due = try sql(
                """
                SELECT count(*) FROM (
                    SELECT due_at FROM jobs WHERE due_at > 0 ORDER BY due_at LIMIT \(JobBacklog.countLimit)
                ) AS waiting
                """
            ).first { row in Int(row.integer()) }
            // The few questions about refunds wait for somebody. Only without them does an index alone answer the count of all.
            let questions = try sql(
                "SELECT count(*) FROM jobs WHERE deadline > 0 AND kind IN (\(Job.refunds)) AND kind = ?"
            ).first([Value(Job.Kind.refundRequest)]) { row in Int(row.integer()) }
            backlog.waiting = max(0, (due ?? 0) - (questions ?? 0))
        }
        return backlog
    }

    /// The instant that `LedgerCommand.mark` remembered.
    public func checkpoint(_ name: String) throws(EngineError) -> Instant? {
        try sql.mark(name)
    }

    /// A store's contracts whose period has ended and whose access continues for the leeway while the store is asked.
    /// Empty for a store that cannot be asked.
    public func expiring(of provider: Provider, at now: Instant, limit: Int) throws(EngineError) -> [ContractKey] {
        guard policy.apis.contains(provider) else { return [] }
        let range: [Value] = [
            Value(now), Value(now + policy.leeway), Value(now), Value(provider), .integer(Int64(limit)),
        ]
        return try sql(
            """
            SELECT provider, environment, app, lineage FROM contracts
            WHERE ends_at > ? AND ends_at <= ? AND access_until <= ? AND provider = ?
            ORDER BY ends_at, id LIMIT ?
            """
        ).all(range) { row throws(EngineError) in
            ContractKey(
                provider: try row.word(),
                environment: try row.word(),
                app: row.text(),
                lineage: row.text()
            )
        }
    }
}

extension Job.Destination {
    fileprivate init(column: String) {
        self = column.contains("://") ? .address(column) : .store(Provider(rawValue: column))
    }

    fileprivate var column: String {
        switch self {
        case .store(let provider): provider.rawValue
        case .address(let address): address
        }
    }
}

extension Job {
    /// The kinds of a question about a refund and its answer, for a list in SQL.
    static let refunds = "'\(Kind.refundRequest.rawValue)', '\(Kind.consumption.rawValue)'"

    /// From seven columns: from `kind` to `deadline`.
    init(_ row: inout Row) throws(EngineError) {
        self.init(
            kind: try row.word(),
            provider: try row.word(),
            environment: try row.word(),
            app: row.text(),
            subject: row.text()
        )
        detail = row.optionalText().flatMap { $0.isEmpty ? nil : $0 }
        deadline = row.optionalInstant()
    }
}

extension QueuedJob {
    fileprivate static func read(_ row: inout Row) throws(EngineError) -> QueuedJob {
        let id = row.integer()
        return QueuedJob(
            id: id,
            job: try Job(&row),
            attempts: Int(row.integer()),
            queuedAt: row.instant(),
            // One that is damaged must not hold up those behind it.
            body: (try? row.body()) ?? nil
        )
    }
}
