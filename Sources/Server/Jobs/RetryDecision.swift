import Domain
import Ledger
import Stores

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
        if case .refused = self { true } else { false }
    }
}

/// The delay after a number of failures. It doubles each time, and its jitter keeps it out of step with others that
/// failed with us (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/, "equal jitter").
struct JobBackoff: Equatable {
    var first = Duration.seconds(1)
    var most = Duration.seconds(3600)

    /// `failures` counts the one that just happened; `jitter` is between 0 and 1.
    func delay(after failures: Int, jitter: Double) -> Duration {
        let doublings = min(max(failures, 1) - 1, 20)
        let whole = min(first.milliseconds << doublings, most.milliseconds)
        let share = Int64(Double(whole - whole / 2) * min(max(jitter, 0), 1))
        return .milliseconds(whole / 2 + share)
    }
}
