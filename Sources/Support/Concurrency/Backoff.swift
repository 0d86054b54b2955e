/// How long to wait before something that failed is tried again: twice as long after each failure, up to a limit. Pure.
public struct Backoff: Sendable {
    /// Who works and fails at once, again and again, is not tried at once again and again.
    private static let steady = Duration.seconds(1)

    private let first: Duration
    public let most: Duration
    /// In a row.
    public private(set) var failures = 0
    private var worksSince: MonotonicTime?

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
        worksSince = nil
        failures += 1
        return delay(after: failures, jitter: jitter)
    }

    /// Forgets the failures.
    public mutating func reset() { self = Backoff(first: first, most: most) }

    /// A connection works. Once it has done so for a second, the failures are forgotten.
    public mutating func works(at now: MonotonicTime) {
        let since = worksSince ?? now
        worksSince = since
        if now >= since + Backoff.steady { failures = 0 }
    }

    /// A connection that may have worked until now has failed.
    public mutating func failed(at now: MonotonicTime, jitter: Double = 1) -> Duration {
        if worksSince != nil { works(at: now) }
        return failed(jitter: jitter)
    }
}
