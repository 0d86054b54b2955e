internal import Domain
internal import Ledger
internal import Stores

/// Decides what happens to a job after a failed attempt. Pure.
struct RetryDecision {
    /// The time for which a job without a deadline is tried.
    static func patience(for kind: Job.Kind) -> Duration {
        switch kind {
        case .forward: .seconds(3 * 86_400)
        case .acknowledge, .consume, .finish, .setToken: .seconds(30 * 86_400)
        }
    }

    var job: QueuedJob
    var now: Instant
    var jitter: Double

    func result(of error: StoreAPIError) -> JobResult {
        let reason = error.description(of: job.job)
        guard !error.isFinal else { return .abandoned(reason: reason) }
        guard now < end else { return .abandoned(reason: "its time is up; the last failure: \(reason)") }
        return .retry(at: comeback(after: error), reason: reason)
    }

    /// For a job that is not tried, because its store has just failed to answer another one.
    func postponed(because error: StoreAPIError) -> JobResult {
        guard now < end else { return result(of: error) }
        return .retry(at: comeback(after: error), reason: error.description(of: job.job))
    }

    private var end: Instant {
        job.job.deadline ?? job.queuedAt + RetryDecision.patience(for: job.job.kind)
    }

    private func comeback(after error: StoreAPIError) -> Instant {
        let next = now + JobBackoff().delay(after: job.attempts + 1, jitter: jitter)
        guard case .unavailable(_, let after?) = error else { return next }
        return max(next, min(after, now + JobBackoff().most))
    }
}

extension StoreAPIError {
    /// True if the answer will never change. Other errors may pass: a key can be corrected, and something that cannot
    /// be read today may be readable tomorrow.
    var isFinal: Bool {
        guard case .refused = self else { return false }
        return true
    }
}
