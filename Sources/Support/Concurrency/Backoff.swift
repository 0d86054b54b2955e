/// How long to wait before something that failed is tried again: twice as long after each failure, up to a limit. Pure.
public struct Backoff: Sendable, Equatable {
    /// Who works and fails at once, again and again, is not tried at once again and again.
    public static let steady = Duration.seconds(1)

    private let first: Duration
    public let most: Duration
    /// In a row.
    public private(set) var failures = 0

    public init(first: Duration, most: Duration) {
        self.first = first
        self.most = most
    }

    /// `failures` counts the one that just happened. `jitter`, from 0 to 1, is how much of the wait's second half to take: it
    /// keeps this one out of step with others that failed with it
    /// (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/, "equal jitter").
    public func delay(after failures: Int, jitter: Double = 1) -> Duration {
        min(first * (1 << min(max(failures, 1) - 1, 20)), most) * (0.5 + jitter / 2)
    }

    /// Counts a failure, and returns the wait after it.
    public mutating func failed(jitter: Double = 1) -> Duration {
        failures += 1
        return delay(after: failures, jitter: jitter)
    }

    /// It worked, for so long so far.
    public mutating func worked(for time: Duration = steady) {
        if time >= Backoff.steady { failures = 0 }
    }
}
