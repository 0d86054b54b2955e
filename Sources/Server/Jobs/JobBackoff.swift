internal import Domain

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
