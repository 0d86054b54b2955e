internal import Domain

/// When the history is asked for, from when, and whether for all of it. Pure.
struct RecoverySchedule {
    static let interval = Duration.seconds(3600)
    /// What the store was still trying to deliver, or had not written down yet, at the last time.
    static let overlap = Duration.seconds(7200)
    /// On the first start there is no last time: as much as a day of setting up.
    static let firstReach = Duration.seconds(86_400)

    private var failures = 0
    /// At the start all is asked for, later what was not delivered: a ledger that came back from a backup lacks what
    /// the store had delivered to it. After a failure all again: whether the settings refuse everything, or one entry
    /// is odd, shows beside what was delivered.
    private(set) var onlyFailures = false

    static func start(mark: Instant?, now: Instant) -> Instant {
        guard let mark else { return now - firstReach }
        // A clock that was set back must not make the span empty.
        return min(mark, now) - overlap
    }

    /// Until the next time.
    mutating func pause(afterFailure isFailure: Bool, jitter: Double) -> Duration {
        onlyFailures = !isFailure
        guard isFailure else {
            failures = 0
            return RecoverySchedule.interval
        }
        failures += 1
        return Backoff(first: .seconds(30), most: RecoverySchedule.interval).delay(after: failures, jitter: jitter)
    }
}
