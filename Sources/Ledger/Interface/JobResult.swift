public import Domain

/// How an attempt at a job ended.
public enum JobResult: Sendable, Equatable {
    case done
    case retry(at: Instant, reason: String)
    /// No attempt can succeed any more. The job is kept for a month, for the operator.
    case abandoned(reason: String)
}
