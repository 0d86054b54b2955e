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
    public var waiting: Int
    public static let countLimit = 100_000
    /// When the next job is due.
    public var next: Instant?
    /// The first deadline of a waiting job.
    public var nearestDeadline: Instant?
    /// The id of the newest job that is still stored.
    public var newest: Int64

    public init(waiting: Int = 0, next: Instant? = nil, nearestDeadline: Instant? = nil, newest: Int64 = 0) {
        self.waiting = waiting
        self.next = next
        self.nearestDeadline = nearestDeadline
        self.newest = newest
    }
}

/// How an attempt at a job ended.
public enum JobResult: Sendable, Equatable {
    case done
    case retry(at: Instant, reason: String)
    /// No attempt can succeed any more. The job is kept for a month, for the operator.
    case abandoned(reason: String)
}
